import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { uuid } from '../../kit/base/ids.ts';
import { toPcm } from './read-pcm.ts';

const BYTES = 2;

/** The audio of a live session as a file that grows, which the child process reads. */
export type LiveAudio = {
  file: string;
  /** In samples. */
  length(): number;
  append(samples: Float32Array): Promise<void>;
  discard(): Promise<void>;
};

export function createLiveAudio(dir: string): LiveAudio {
  const file = join(dir, `${uuid()}.live.pcm`);
  let handle: Promise<FileHandle> | undefined;
  let length = 0;
  return {
    file,
    length: () => length,
    async append(samples) {
      handle ??= mkdir(dir, { recursive: true, mode: 0o700 }).then(() => open(file, 'wx', 0o600));
      await (await handle).write(toPcm(samples), 0, samples.length * BYTES, length * BYTES);
      length += samples.length;
    },
    async discard() {
      if (!handle) return;
      await (await handle).close();
      await rm(file, { force: true });
    },
  };
}
