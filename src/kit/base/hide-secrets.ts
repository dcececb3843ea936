const HIDDEN = '[redacted]';
/** Shorter values are ordinary words that may occur anywhere. */
const CHARACTERS_MIN = 8;
const CAUSES_MAX = 8;

export type SecretHider = {
  text(text: string): string;
  /** Applies it to every string within a value. */
  value<T>(value: T): T;
  /** Applies it to the messages of an error and its causes, in place, so `instanceof` still works. */
  error(error: unknown): unknown;
};

/** Removes known secrets from texts of other programs: some echo what they were sent. */
export function createSecretHider(secrets: readonly string[]): SecretHider {
  const known = [...new Set(secrets)].filter(({ length }) => length >= CHARACTERS_MIN);
  // Longest first: one secret may contain another.
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

/** The secret as it is, and encoded as JSON, URL component, hexadecimal or base64. */
function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((phase) => {
    const encoded = Buffer.concat([Buffer.alloc(phase), bytes])
      .toString('base64')
      .replaceAll('=', '');
    // The first and last base64 characters depend on the neighbouring bytes.
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
