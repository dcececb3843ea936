import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BLOB_ROOMS, type BlobPlace, openBlobs } from '../../compose/open-blobs.ts';
import { codeOf } from '../../kit/base/error-code.ts';
import { copyFileDurably, type Digest, writeChunksDurably } from './durable-files.ts';
import { BLOBS, isBlobPath, type ManifestFile } from './manifest.ts';

/** Holds partial uploads. */
const TEMPORARY = 'tmp';

/** Copies the blobs that are not in `copied` yet, and adds them. A blob deleted meanwhile is not needed. */
export async function copyBlobs(
  place: BlobPlace,
  target: string,
  copied: Map<string, ManifestFile>,
  onProgress: (files: number) => void,
): Promise<void> {
  const blobs = place.blobs.kind === 'directory' ? filesOf(place.dataDir) : objectsOf(place);
  for await (const { path, copyTo } of blobs) {
    if (copied.has(path)) continue;
    const digest = await copyTo(join(target, path));
    if (digest) copied.set(path, { path, ...digest });
    onProgress(copied.size);
  }
}

type Source = { path: string; copyTo(target: string): Promise<Digest | undefined> };

async function* filesOf(dataDir: string): AsyncGenerator<Source> {
  for await (const path of listFiles(dataDir, BLOBS))
    yield { path, copyTo: (target) => copyFileDurably(join(dataDir, path), target).catch(unlessMissing) };
}

/** In a backup they have the paths that they would have in a data dir, so it can be restored to either. */
async function* objectsOf(place: BlobPlace): AsyncGenerator<Source> {
  for (const room of BLOB_ROOMS) {
    const blobs = openBlobs(place, room);
    for await (const sha256 of blobs.list()) {
      const copyTo = async (target: string) => {
        const blob = await blobs.open(sha256);
        return blob && writeChunksDurably(blob.stream(), target);
      };
      yield { path: `${BLOBS}/${room}/${sha256.slice(0, 2)}/${sha256.slice(2)}`, copyTo };
    }
  }
}

async function* listFiles(root: string, dir: string): AsyncGenerator<string> {
  const names = (await readdir(join(root, dir)).catch(unlessMissing)) ?? [];
  for (const name of names.sort()) {
    // Always with slashes: a manifest may be read on another operating system.
    const path = `${dir}/${name}`;
    const found = await lstat(join(root, path)).catch(unlessMissing);
    if (found?.isDirectory() && name !== TEMPORARY) yield* listFiles(root, path);
    else if (found?.isFile() && isBlobPath(path)) yield path;
  }
}

export function unlessMissing(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined;
  throw error;
}
