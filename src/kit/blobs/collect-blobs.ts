import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { blobPath } from './blob-path.ts';
import { unlessMissing } from './errors.ts';
import { listBlobs } from './list-blobs.ts';

/** Returns which of these digests are referenced. */
export type ReferenceCheck = (sha256s: string[]) => Promise<ReadonlySet<string>>;

const BATCH = 500;

type Collection = { isReferenced: ReferenceCheck; untouchedSince: Date };

/** Removes all unreferenced blobs of the directory. */
export async function collectBlobs(dir: string, temporaryDir: string, options: Collection): Promise<number> {
  let removed = 0;
  for await (const batch of inBatches(stale(dir, options.untouchedSince)))
    removed += await removeUnreferenced(dir, temporaryDir, batch, options);
  return removed;
}

/**
 * Removes those of these blobs that are unreferenced. A put may store the same content again before its reference is
 * visible, so a blob is moved aside first and checked again: if a newer put wrote it, it is moved back.
 */
export async function removeUnreferenced(
  dir: string,
  temporaryDir: string,
  sha256s: string[],
  { isReferenced, untouchedSince }: Collection,
): Promise<number> {
  let removed = 0;
  const referenced = await isReferenced(sha256s);
  for (const sha256 of sha256s.filter((candidate) => !referenced.has(candidate))) {
    const { file } = blobPath(dir, sha256);
    if (await isTouched(file, untouchedSince)) continue;
    const aside = join(temporaryDir, `collected-${sha256}`);
    await rename(file, aside);
    const isWanted = (await isTouched(aside, untouchedSince)) || (await isReferenced([sha256])).has(sha256);
    if (isWanted) await rename(aside, file);
    else await rm(aside);
    removed += isWanted ? 0 : 1;
  }
  return removed;
}

async function* stale(dir: string, untouchedSince: Date): AsyncGenerator<string> {
  for await (const sha256 of listBlobs(dir)) {
    if (!(await isTouched(blobPath(dir, sha256).file, untouchedSince))) yield sha256;
  }
}

async function isTouched(file: string, untouchedSince: Date): Promise<boolean> {
  const found = await stat(file).catch(unlessMissing);
  return found === undefined || found.mtime >= untouchedSince;
}

export async function* inBatches(digests: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const digest of digests) {
    if (batch.push(digest) < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
