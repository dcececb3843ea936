import type { FileHandle } from 'node:fs/promises';

const BYTES = 2;

/** Samples of 16 bits as numbers from -1 to 1; fewer at the end of the file. */
export async function readPcm(file: FileHandle, from: number, count: number): Promise<Float32Array> {
  const bytes = new Uint8Array(Math.max(0, count) * BYTES);
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, from * BYTES + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  const values = new Int16Array(bytes.buffer, 0, Math.floor(filled / BYTES));
  return Float32Array.from(values, (value) => value / 32_768);
}
