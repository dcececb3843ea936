import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open as openFile, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { storageProblemOf } from '../base/storage-failure.ts';
import { blobPath } from './blob-path.ts';
import { collectBlobs, type ReferenceCheck, removeUnreferenced } from './collect-blobs.ts';
import { unlessMissing } from './errors.ts';
import { listBlobs } from './list-blobs.ts';
import { syncDirectory } from './sync-directory.ts';
import { type BlobSource, type StoredBlob, writeContent } from './write-content.ts';

type Collection = { isReferenced: ReferenceCheck; untouchedSince: Date };
export type ByteRange = { start?: number; end?: number };

export type OpenBlob = {
  bytes: number;
  /** `start` and `end` are both inclusive, as in an HTTP range. The file is opened when the first chunk is asked for. */
  stream(range?: ByteRange): AsyncIterable<Uint8Array>;
};

/** Content on disk under a temporary name. The first call of `publish` or `discard` decides; later calls do nothing. */
export type StagedBlob = StoredBlob & {
  /** Gives it its final name. Resolves when the content is durable. */
  publish(): Promise<void>;
  discard(): Promise<void>;
};

export type Blobs = {
  /** Resolves when the content is durable. */
  put(source: BlobSource, options?: { bytesMax?: number | undefined }): Promise<StoredBlob>;
  /** A put in two steps, for content that can be checked only when it is complete. */
  stage(source: BlobSource, options?: { bytesMax?: number | undefined }): Promise<StagedBlob>;
  open(sha256: string): Promise<OpenBlob | undefined>;
  read(sha256: string): Promise<Uint8Array | undefined>;
  /** Removing what is not there is no error. */
  remove(sha256: string): Promise<void>;
  /** False when the blob is missing or its content no longer has this digest. */
  verify(sha256: string): Promise<boolean>;
  list(): AsyncIterable<string>;
  /** Removes blobs that are unreferenced and not written since `untouchedSince`; returns how many. */
  collect(options: Collection): Promise<number>;
  /** The same for a few blobs whose references were just deleted. */
  collectSome(sha256s: string[], options: Collection): Promise<number>;
  /**
   * Removes what crashed puts left behind. Puts of this process are spared; `untouchedSince` spares those of other
   * processes that share the directory.
   */
  sweep(options?: { untouchedSince?: Date | undefined }): Promise<void>;
};

export function createBlobs(options: { dir: string }): Blobs {
  const dir = resolve(options.dir);
  // Inside `dir`, because a rename is atomic only within one file system.
  const temporaryDir = join(dir, 'tmp');
  const livingPuts = new Set<string>();
  /** Temporary files that could not be removed; the next put tries again. */
  const leftovers = new Set<string>();

  async function removeTemporary(path: string): Promise<void> {
    leftovers.delete(path);
    await rm(path, { force: true }).catch((error: unknown) => {
      if (storageProblemOf(error) === undefined) throw error;
      leftovers.add(path);
    });
  }

  let prepared: Promise<void> | undefined;
  // Once per process even if the directory exists: a crashed process may have created it without a sync.
  const prepare = () => {
    prepared ??= createDirectories().catch((error) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };
  const createDirectories = async () => {
    await mkdir(temporaryDir, { recursive: true, mode: 0o700 });
    // Two levels, because the parent directory may be new as well.
    for (const parent of [dirname(dir), dirname(dirname(dir))]) await syncDirectory(parent);
  };

  async function writeDurably(temporary: string, source: BlobSource, bytesMax: number): Promise<StoredBlob> {
    const file = await openFile(temporary, 'wx', 0o600);
    try {
      const stored = await writeContent(file, source, bytesMax);
      await file.datasync();
      return stored;
    } finally {
      await file.close();
    }
  }

  async function publish(temporary: string, sha256: string): Promise<void> {
    const { shard, file } = blobPath(dir, sha256);
    await mkdir(shard, { recursive: true, mode: 0o700 });
    // A file of the same name has the same content, or is damaged; either way it may be replaced.
    await rename(temporary, file);
    // `dir` too: the shard may be new, or created by another put that has not synced it yet.
    await Promise.all([syncDirectory(shard), syncDirectory(dir)]);
  }

  const stage: Blobs['stage'] = async (source, { bytesMax = Number.POSITIVE_INFINITY } = {}) => {
    await prepare();
    // A copy, because what still cannot be removed is added again.
    for (const path of [...leftovers]) await removeTemporary(path);
    const name = randomBytes(16).toString('hex');
    const temporary = join(temporaryDir, name);
    livingPuts.add(name);
    const discard = async () => {
      if (livingPuts.delete(name)) await removeTemporary(temporary);
    };
    try {
      const stored = await writeDurably(temporary, source, bytesMax);
      return {
        ...stored,
        discard,
        async publish() {
          if (!livingPuts.has(name)) return;
          await publish(temporary, stored.sha256);
          livingPuts.delete(name);
        },
      };
    } catch (error) {
      await discard();
      throw error;
    }
  };

  return {
    stage,

    async put(source, options) {
      const staged = await stage(source, options);
      try {
        await staged.publish();
      } finally {
        await staged.discard();
      }
      return { sha256: staged.sha256, bytes: staged.bytes };
    },

    async open(sha256) {
      const { file } = blobPath(dir, sha256);
      const found = await stat(file).catch(unlessMissing);
      return found && { bytes: found.size, stream: (range) => readRange(file, range) };
    },

    async read(sha256) {
      return readFile(blobPath(dir, sha256).file).catch(unlessMissing);
    },

    async remove(sha256) {
      const { shard, file } = blobPath(dir, sha256);
      const removal = unlink(file).then(() => syncDirectory(shard));
      await removal.catch(unlessMissing);
    },

    async verify(sha256) {
      const digest = await digestFile(blobPath(dir, sha256).file).catch(unlessMissing);
      return digest === sha256;
    },

    list: () => listBlobs(dir),

    collect: (options) => collectBlobs(dir, temporaryDir, options),
    async collectSome(sha256s, options) {
      await prepare();
      return removeUnreferenced(dir, temporaryDir, sha256s, options);
    },

    async sweep({ untouchedSince } = {}) {
      const names = await readdir(temporaryDir).catch(unlessMissing);
      for (const name of names?.filter((name) => !livingPuts.has(name)) ?? []) {
        const leftover = join(temporaryDir, name);
        const found = await stat(leftover).catch(unlessMissing);
        if (!found || (untouchedSince && found.mtime >= untouchedSince)) continue;
        await rm(leftover, { force: true });
      }
    },
  };
}

async function* readRange(file: string, range: ByteRange = {}): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file, range);
}

async function digestFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readRange(file)) hash.update(chunk);
  return hash.digest('hex');
}
