/** The fields of one message, as they are on the wire. Numbers of 64 bits are bigints. */
export type WireField = { number: number; value: bigint | Uint8Array };

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;
const VARINT_BYTES_MAX = 10;

export class MalformedMessage extends Error {}

/** Reads a protobuf message field by field, without a schema and without copying. */
export function* readFields(bytes: Uint8Array): Generator<WireField> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;

  function varint(): bigint {
    let value = 0n;
    for (let i = 0; i < VARINT_BYTES_MAX; i++) {
      const byte = bytes[at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << BigInt(7 * i);
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new MalformedMessage('a number is cut off or too long');
  }

  function skip(length: number): number {
    const start = at;
    at += length;
    if (at > bytes.length) throw new MalformedMessage('a field is longer than its message');
    return start;
  }

  while (at < bytes.length) {
    const tag = Number(varint());
    const number = Math.floor(tag / 8);
    switch (tag % 8) {
      case VARINT:
        yield { number, value: varint() };
        break;
      case FIXED64:
        yield { number, value: view.getBigUint64(skip(8), true) };
        break;
      case BYTES: {
        const length = Number(varint());
        const start = skip(length);
        yield { number, value: bytes.subarray(start, start + length) };
        break;
      }
      case FIXED32:
        yield { number, value: BigInt(view.getUint32(skip(4), true)) };
        break;
      default:
        throw new MalformedMessage('a field has an unknown type');
    }
  }
}
