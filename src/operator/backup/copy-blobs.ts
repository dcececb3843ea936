import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../kit/base/error-code.ts';
import { copyFileDurably } from './durable-files.ts';
import { BLOBS, isBlobPath, type ManifestFile } from './manifest.ts';

/** Holds partial uploads. */
const TEMPORARY = 'tmp';

/** Copies the blobs that are not in `copied` yet, and adds them. A blob deleted meanwhile is not needed. */
export async function copyBlobs(
  dataDir: string,
  target: string,
  copied: Map<string, ManifestFile>,
  onProgress: (files: number) => void,
): Promise<void> {
  for await (const path of listFiles(dataDir, BLOBS)) {
    if (copied.has(path)) continue;
    const digest = await copyFileDurably(join(dataDir, path), join(target, path)).catch(unlessMissing);
    if (digest) copied.set(path, { path, ...digest });
    onProgress(copied.size);
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
