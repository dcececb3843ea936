/** Numbers of a protobuf message stay bytes until they are asked for: a field is read by what it should be. */
export type Field = { number: number; wire: number; value: number; bytes: Buffer };

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** The fields of one protobuf message, in order. `value` is set for varints, `bytes` for everything else. */
export function* readFields(message: Buffer): Generator<Field> {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = message[at++];
      if (byte === undefined) throw new Error('The protobuf message ends in the middle of a number.');
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) return value;
    }
  };
  const slice = (length: number) => {
    if (at + length > message.length) throw new Error('The protobuf message ends in the middle of a field.');
    at += length;
    return message.subarray(at - length, at);
  };
  const none = message.subarray(0, 0);
  while (at < message.length) {
    const key = varint();
    const [number, wire] = [Math.floor(key / 8), key % 8];
    if (wire === VARINT) yield { number, wire, value: varint(), bytes: none };
    else if (wire === BYTES) yield { number, wire, value: 0, bytes: slice(varint()) };
    else if (wire === FIXED32) yield { number, wire, value: 0, bytes: slice(4) };
    else if (wire === FIXED64) yield { number, wire, value: 0, bytes: slice(8) };
    else throw new Error(`A protobuf message has no fields of type ${wire}.`);
  }
}
