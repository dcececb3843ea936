const SEQUENCE = 'abcdefghijklmnopqrstuvwxyz0123456789';
const FLOOR = 128;

/** For chunks whose constant parts nearly fill FLOOR: one more token must not move them into the next range. */
export const WIDE_FLOOR = 256;

/** Printable ASCII without what JSON escapes: as long in JSON as its characters. */
const PLAIN = /^[ !#-[\]-~]*$/;

export const isPlain = (text: string): boolean => PLAIN.test(text);

let padding = SEQUENCE.repeat(64);

/**
 * The `p` of a chunk whose other parts have this many bytes: fills it up to a random total length, so that the length
 * does not reveal the token. Padding of random length alone would still correlate with it.
 */
export function padChunk(bytes: number, least = FLOOR): string {
  let floor = least;
  while (floor < bytes) floor *= 2;
  const length = floor + Math.floor(Math.random() * floor) - bytes;
  if (length > padding.length) padding = SEQUENCE.repeat(Math.ceil(length / SEQUENCE.length));
  return padding.slice(0, length);
}
