/** A message that no reader of Protocol Buffers would understand. */
export class Malformed extends Error {}

const LENGTH_DELIMITED = 2;
const FIELD_NUMBER_MAX = 2 ** 29 - 1;

/**
 * The values at a path of field numbers, wherever they stand: the wire allows a field more than once, the last one
 * counts and parts of messages are merged, so a check must see all of them. Nothing is copied or decoded but lengths.
 */
export function valuesAt(bytes: Uint8Array, path: readonly number[]): Uint8Array[] {
  const [number, ...rest] = path;
  const found: Uint8Array[] = [];
  for (const field of fieldsOf(bytes)) {
    if (field.number !== number) continue;
    if (rest.length === 0) found.push(field.value);
    else found.push(...valuesAt(field.value, rest));
  }
  return found;
}

/** Texts, messages and bytes; numbers are passed over. */
function* fieldsOf(bytes: Uint8Array): Generator<{ number: number; value: Uint8Array }> {
  let at = 0;

  function varint(): number {
    let value = 0;
    for (let index = 0; index < 10; index++) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Malformed();
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value;
    }
    throw new Malformed();
  }

  while (at < bytes.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    if (number === 0 || number > FIELD_NUMBER_MAX) throw new Malformed();
    switch (tag % 8) {
      case 0:
        varint();
        break;
      case 1:
        at += 8;
        break;
      case LENGTH_DELIMITED: {
        const length = varint();
        if (length > bytes.length - at) throw new Malformed();
        yield { number, value: bytes.subarray(at, at + length) };
        at += length;
        break;
      }
      case 5:
        at += 4;
        break;
      default:
        throw new Malformed();
    }
    if (at > bytes.length) throw new Malformed();
  }
}
