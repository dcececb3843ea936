import type { FileHandle } from 'node:fs/promises';

const BYTES = 2;

/** Numbers from -1 to 1 as samples of 16 bits. */
export function toPcm(samples: Float32Array): Uint8Array {
  const values = new Int16Array(samples.length);
  for (let i = 0; i < samples.length; i++)
    values[i] = Math.max(-32_768, Math.min(32_767, Math.round((samples[i] as number) * 32_768)));
  return new Uint8Array(values.buffer);
}

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
  const samples = new Float32Array(values.length);
  // A loop: `from` with a function takes thirty times as long.
  for (let i = 0; i < values.length; i++) samples[i] = (values[i] as number) / 32_768;
  return samples;
}
