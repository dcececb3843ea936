import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobTooLarge, type StagedBlob } from '../kit/blobs/index.ts';

/** A request that takes longer than this has lost its connection long ago. */
const LEFTOVER_MS = 24 * 60 * 60 * 1000;

/** Audio on disk for the time of one request. */
export type StagedAudio = StagedBlob & { file: string };

export type AudioStage = {
  write(content: AsyncIterable<Uint8Array>, bytesMax: number): Promise<StagedAudio>;
  read(file: string): Promise<Buffer>;
  /** Removes what a process left behind that was killed. */
  sweep(now: number): Promise<void>;
};

export function createAudioStage(dir: string): AudioStage {
  return {
    async write(content, bytesMax) {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      const file = join(dir, `${randomBytes(16).toString('hex')}.audio`);
      const discard = () => rm(file, { force: true });
      const handle = await open(file, 'wx', 0o600);
      let bytes = 0;
      try {
        for await (const chunk of content) {
          bytes += chunk.length;
          if (bytes > bytesMax) throw new BlobTooLarge(bytesMax);
          await handle.write(chunk);
        }
      } catch (error) {
        await discard();
        throw error;
      } finally {
        await handle.close();
      }
      return { file, bytes, sha256: '', discard, publish: discard };
    },
    read: (file) => readFile(file),
    async sweep(now) {
      for (const name of await readdir(dir).catch(() => [])) {
        const path = join(dir, name);
        const found = await stat(path).catch(() => undefined);
        if (found && now - found.mtimeMs > LEFTOVER_MS) await rm(path, { force: true, recursive: true });
      }
    },
  };
}
