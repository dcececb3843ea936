import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from './copy-blobs.ts';
import { copyFileDurably, syncDirectories, syncPath } from './durable-files.ts';
import { BLOBS, DATABASE_FILES, type Manifest } from './manifest.ts';

const STAGED = '.restoring';
const DATABASE = DATABASE_FILES.sqlite;
const LOG = '-wal';
const INDEX = '-shm';

/** What in the data dir a restore would replace. A log without its database counts: it would be read into the new one. */
export async function findOccupied(dataDir: string, { kind }: Manifest): Promise<string[]> {
  const names = (await readdir(dataDir).catch(unlessMissing)) ?? [];
  const replaced = kind === 'sqlite' ? [DATABASE, DATABASE + LOG, BLOBS] : [BLOBS];
  return names.filter((name) => replaced.includes(name));
}

/** Removes what a restore that was broken off left. */
export async function dropStaged(dataDir: string): Promise<void> {
  for (const name of [BLOBS, DATABASE].map((name) => name + STAGED)) {
    for (const suffix of ['', LOG, INDEX]) await rm(join(dataDir, name + suffix), { recursive: true, force: true });
  }
}

export async function stageDatabase(dir: string, dataDir: string): Promise<string> {
  const staged = join(dataDir, DATABASE + STAGED);
  await copyFileDurably(join(dir, DATABASE), staged);
  return staged;
}

export async function stageBlobs(
  dir: string,
  dataDir: string,
  { files }: Manifest,
  onProgress: (text: string) => void,
): Promise<void> {
  const blobs = files.filter(({ path }) => path.startsWith(`${BLOBS}/`));
  if (blobs.length === 0) return;
  await mkdir(join(dataDir, BLOBS + STAGED), { recursive: true, mode: 0o700 });
  let done = 0;
  for (const { path } of blobs) {
    await copyFileDurably(join(dir, path), join(dataDir, path.replace(BLOBS, BLOBS + STAGED)));
    onProgress(`${++done} of ${blobs.length} blobs copied`);
  }
}

/** Renames what is staged into place and the old data aside; returns the names the old data now has. */
export async function moveIntoPlace(dataDir: string, { kind }: Manifest, suffix: string): Promise<string[]> {
  const path = (name: string) => join(dataDir, name);
  const kept: string[] = [];
  const keep = async (name: string, as: string) => {
    if (!existsSync(path(name))) return;
    await rename(path(name), path(as));
    kept.push(path(as));
  };
  if (kind === 'sqlite') {
    // Opened only to be read, so its log is empty; under the new name it would be taken for another database's.
    for (const suffix of [LOG, INDEX]) await rm(path(DATABASE + STAGED + suffix), { force: true });
    await syncPath(path(DATABASE + STAGED), 'file');
    await keep(DATABASE, `${DATABASE}.${suffix}`);
    // SQLite finds a log by its name, so it goes where its database went; the index is rebuilt from it.
    await keep(DATABASE + LOG, `${DATABASE}.${suffix}${LOG}`);
    await rm(path(DATABASE + INDEX), { force: true });
  }
  await keep(BLOBS, `${BLOBS}.${suffix}`);
  if (existsSync(path(BLOBS + STAGED))) {
    await syncDirectories(path(BLOBS + STAGED));
    await rename(path(BLOBS + STAGED), path(BLOBS));
  }
  // Last, because a data dir with a database is taken for a whole one.
  if (kind === 'sqlite') await rename(path(DATABASE + STAGED), path(DATABASE));
  await syncPath(dataDir, 'directory');
  return kept;
}
