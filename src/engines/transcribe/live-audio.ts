import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { uuid } from '../../kit/base/ids.ts';

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
      const values = Int16Array.from(samples, (value) =>
        Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768))),
      );
      await (await handle).write(new Uint8Array(values.buffer), 0, values.byteLength, length * BYTES);
      length += samples.length;
    },
    async discard() {
      if (!handle) return;
      await (await handle).close();
      await rm(file, { force: true });
    },
  };
}
