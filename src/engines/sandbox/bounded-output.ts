/** Keeps the first bytes of a text that may never end. */
export type BoundedOutput = {
  add(chunk: Uint8Array): void;
  bytes(): Buffer;
  text(): string;
  isCut(): boolean;
};

export function boundedOutput(bytesMax: number): BoundedOutput {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let isCut = false;
  return {
    add(chunk) {
      const kept = chunk.subarray(0, bytesMax - bytes);
      if (kept.length < chunk.length) isCut = true;
      if (kept.length === 0) return;
      bytes += kept.length;
      // A copy: the chunk is a view of memory that changes under it.
      chunks.push(Uint8Array.from(kept));
    },
    bytes: () => Buffer.concat(chunks),
    text: () => Buffer.concat(chunks).toString('utf8'),
    isCut: () => isCut,
  };
}
