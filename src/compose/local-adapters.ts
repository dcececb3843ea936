import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { uuid } from '../kit/base/ids.ts';
import type { Blobs } from '../kit/blobs/index.ts';

const COPY = /^[0-9a-f]{64}\.gguf$/;

/** Uploaded adapters as files of this machine: engines open files, and blobs may be in an S3 store. */
export function createLocalAdapters(blobs: Blobs, dir: string) {
  const nameOf = (sha256: string) => `${sha256}.gguf`;

  async function copy(sha256: string): Promise<string> {
    const file = join(dir, nameOf(sha256));
    const blob = await blobs.open(sha256);
    if (!blob) throw new Error('The content of its adapter is missing. Upload the adapter again.');
    const there = await stat(file).catch(() => undefined);
    if (there?.size === blob.bytes) return file;
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const partial = `${file}.${uuid()}.part`;
    try {
      await pipeline(Readable.from(blob.stream()), createWriteStream(partial, { mode: 0o600 }));
      await rename(partial, file);
    } finally {
      await rm(partial, { force: true });
    }
    return file;
  }

  return {
    fileOf: copy,
    /** Removes copies that no adapter has any more. */
    async keepOnly(sha256s: readonly string[]): Promise<void> {
      const kept = new Set(sha256s.map(nameOf));
      // What another process is copying has a longer name.
      for (const name of await readdir(dir).catch(() => []))
        if (COPY.test(name) && !kept.has(name)) await rm(join(dir, name), { force: true });
    },
  };
}
