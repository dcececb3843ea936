/** GGUF's types of metadata with a fixed size, in bytes. */
const SIZES: Record<number, number> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 };
const STRING = 8;
const ARRAY = 9;

/** Enough for the metadata of an adapter, which has no vocabulary. */
export const HEAD_BYTES = 64 * 1024;

/** Why the beginning of a file is not that of a LoRA adapter as GGUF; undefined where it is. */
export function explainAdapterHead(head: Buffer): string | undefined {
  if (head.subarray(0, 4).toString('latin1') !== 'GGUF') return 'this is not a GGUF file';
  const kind = readText(head, 'general.type');
  if (kind === undefined || kind === 'adapter') return undefined;
  return 'this GGUF file holds a whole model and not an adapter; put it into the models dir instead';
}

/** A text of the metadata; undefined where it is not among what was read. */
function readText(head: Buffer, wanted: string): string | undefined {
  try {
    const fields = Number(head.readBigUInt64LE(16));
    let at = 24;
    const text = () => {
      const length = Number(head.readBigUInt64LE(at));
      at += 8 + length;
      if (at > head.length) throw new RangeError('beyond what was read');
      return head.toString('utf8', at - length, at);
    };
    const skip = (type: number): void => {
      const size = SIZES[type];
      if (size !== undefined) at += size;
      else if (type === STRING) text();
      else if (type === ARRAY) {
        const of = head.readUInt32LE(at);
        const count = Number(head.readBigUInt64LE(at + 4));
        at += 12;
        for (let n = 0; n < count; n++) skip(of);
      } else throw new RangeError(`unknown type ${type}`);
    };
    for (let n = 0; n < fields; n++) {
      const name = text();
      const type = head.readUInt32LE(at);
      at += 4;
      if (name === wanted && type === STRING) return text();
      skip(type);
    }
    return undefined;
  } catch (error) {
    // The metadata is longer than what was read, or broken: loading the adapter decides.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
