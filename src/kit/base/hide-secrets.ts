const HIDDEN = '[redacted]';
/** Shorter values are words that may stand anywhere. */
const CHARACTERS_MIN = 8;
const CAUSES_MAX = 8;

export type SecretHider = {
  text(text: string): string;
  /** The same in every text within a value. */
  value<T>(value: T): T;
  /** The same in the words of an error and of its causes. It stays the error it is, for those who ask what kind it is. */
  error(error: unknown): unknown;
};

/** Takes known secrets out of what other programs say: some repeat what they were sent when they refuse it. */
export function createSecretHider(secrets: readonly string[]): SecretHider {
  const known = [...new Set(secrets)].filter(({ length }) => length >= CHARACTERS_MIN);
  // The longest first: one may be a part of another.
  const spellings = [...new Set(known.flatMap(spellingsOf))].sort((a, b) => b.length - a.length);
  const text = (given: string) => spellings.reduce((shown, spelling) => shown.replaceAll(spelling, HIDDEN), given);
  const value = (given: unknown): unknown => {
    if (typeof given === 'string') return text(given);
    if (Array.isArray(given)) return given.map(value);
    if (typeof given !== 'object' || given === null) return given;
    return Object.fromEntries(Object.entries(given).map(([name, one]) => [text(name), value(one)]));
  };
  return {
    text,
    value: <T>(given: T) => (spellings.length === 0 ? given : (value(given) as T)),
    error(given) {
      let cause: unknown = given;
      for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth++) {
        cause.message = text(cause.message);
        if (cause.stack !== undefined) cause.stack = text(cause.stack);
        cause = cause.cause;
      }
      return given;
    },
  };
}

/** As it is, and as it looks within JSON, an address, hexadecimal or base64. */
function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((phase) => {
    const encoded = Buffer.concat([Buffer.alloc(phase), bytes])
      .toString('base64')
      .replaceAll('=', '');
    // At both ends a character depends on what stands beside the secret.
    return encoded.slice(phase === 0 ? 0 : phase + 1, -1);
  });
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('hex'),
    ...base64,
    ...base64.map((encoded) => encoded.replaceAll('+', '-').replaceAll('/', '_')),
  ].filter(({ length }) => length >= CHARACTERS_MIN);
}
