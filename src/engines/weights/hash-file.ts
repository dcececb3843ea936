import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';

export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  return (await digest('sha256', path, signal)).toString('hex');
}

/** In the form of npm's lockfiles: `sha512-` and base64. */
export async function integrityOf(path: string, signal: AbortSignal): Promise<string> {
  return `sha512-${(await digest('sha512', path, signal)).toString('base64')}`;
}

async function digest(algorithm: string, path: string, signal: AbortSignal): Promise<Buffer> {
  const hash = createHash(algorithm);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal })) hash.update(chunk as Buffer);
  return hash.digest();
}

/** A login page saved under the name of a model is no model. */
export async function beginsLikeGguf(path: string): Promise<boolean> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.toString('latin1') === 'GGUF';
  } finally {
    await handle.close();
  }
}
