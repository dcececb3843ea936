/**
 * The bytes behind an entry of a vocabulary that is no whole character. Byte-level vocabularies write each byte as a
 * printable letter, others write `<0xF0>`. Undefined for an entry in another form.
 */
export function readTokenBytes(entry: string): number[] | undefined {
  const hex = /^<0x([0-9A-F]{2})>$/.exec(entry)?.[1];
  if (hex !== undefined) return [Number.parseInt(hex, 16)];
  const bytes = [...entry].map((letter) => BYTES.get(letter));
  return bytes.every((byte) => byte !== undefined) ? bytes : undefined;
}

/** GPT-2's table: printable bytes stand for themselves, the others for the letters from U+0100 on, in order. */
const BYTES = new Map<string, number>();
for (let byte = 0, moved = 0; byte < 256; byte++) {
  const isPrintable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  BYTES.set(String.fromCodePoint(isPrintable ? byte : 0x100 + moved++), byte);
}
