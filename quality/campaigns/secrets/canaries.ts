import { randomBytes } from 'node:crypto';

/**
 * A value that the server receives in one place and must not show in others. `key`: a credential, never stored.
 * `config`: the operator's, never stored. `content`: user content, stored only where storing it is the service. `kept`: user
 * content of a request whose workspace keeps it, stored with the span's contents alone.
 */
export type CanaryKind = 'key' | 'config' | 'content' | 'kept';
export type Canary = { name: string; kind: CanaryKind; value: string };

export type Canaries = {
  all: Canary[];
  /** Creates a new one. */
  make(kind: CanaryKind, name: string): string;
  /** Registers one that the server created: a key, a session, a link. */
  add(kind: CanaryKind, name: string, value: string): string;
};

export function createCanaries(): Canaries {
  const all: Canary[] = [];
  const add = (kind: CanaryKind, name: string, value: string) => {
    if (value.length < 16) throw new Error(`The canary '${name}' is too short to be told from chance.`);
    all.push({ name, kind, value });
    return value;
  };
  return { all, add, make: (kind, name) => add(kind, name, `canary-${randomBytes(16).toString('hex')}`) };
}

/** The value as it is, and in its common encodings. */
export function spellingsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  // Within a longer text base64 has one of three alignments; the neighbours change the first and last characters.
  const phases = [0, 1, 2].map((phase) =>
    Buffer.concat([Buffer.alloc(phase), bytes])
      .toString('base64')
      .replaceAll('=', '')
      .slice(phase === 0 ? 0 : phase + 1, -3),
  );
  const inUrls = phases.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([value, bytes.toString('hex'), encodeURIComponent(value), ...phases, ...inUrls])];
}

const spelled = new Map<string, string[]>();

/** The canaries that a text contains, in any encoding. */
export function findIn(text: string, canaries: readonly Canary[]): Canary[] {
  return canaries.filter(({ value }) => {
    const spellings = spelled.get(value) ?? spellingsOf(value);
    spelled.set(value, spellings);
    return spellings.some((spelling) => text.includes(spelling));
  });
}
