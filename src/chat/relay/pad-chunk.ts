const SEQUENCE = 'abcdefghijklmnopqrstuvwxyz0123456789';
const FLOOR = 128;

/** For chunks whose constant parts alone nearly fill the usual one: a token more must not lift them into the next range. */
export const WIDE_FLOOR = 256;

let padding = SEQUENCE.repeat(64);

/**
 * The `p` of a chunk whose other parts have this many bytes. The length of the whole is drawn first, from a range that
 * depends on the content only by its power of two, and `p` fills what is missing: so the length on the wire is that
 * random number and says nothing about the token. Padding of random length alone would still correlate with it.
 */
export function padChunk(bytes: number, least = FLOOR): string {
  let floor = least;
  while (floor < bytes) floor *= 2;
  const length = floor + Math.floor(Math.random() * floor) - bytes;
  if (length > padding.length) padding = SEQUENCE.repeat(Math.ceil(length / SEQUENCE.length));
  return padding.slice(0, length);
}
