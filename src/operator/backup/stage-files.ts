import { createReadStream, existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BLOB_ROOMS, type BlobPlace, openBlobs } from '../../compose/open-blobs.ts';
import { unlessMissing } from './copy-blobs.ts';
import { copyFileDurably, syncDirectories, syncPath } from './durable-files.ts';
import { BLOBS, DATABASE_FILES, type Manifest } from './manifest.ts';

const STAGED = '.restoring';
const DATABASE = DATABASE_FILES.sqlite;
const LOG = '-wal';
const INDEX = '-shm';

/** What a restore would replace. A write-ahead log counts even alone: SQLite would apply it to the new database. */
export async function findOccupied({ dataDir, blobs }: BlobPlace, { kind }: Manifest): Promise<string[]> {
  const names = (await readdir(dataDir).catch(unlessMissing)) ?? [];
  const replaced = [
    ...(kind === 'sqlite' ? [DATABASE, DATABASE + LOG] : []),
    // A store keeps what it has: content is added beside it.
    ...(blobs.kind === 'directory' ? [BLOBS] : []),
  ];
  return names.filter((name) => replaced.includes(name));
}

/** Removes the leftovers of an interrupted restore. */
export async function removeStaged(dataDir: string): Promise<void> {
  for (const name of [BLOBS, DATABASE].map((name) => name + STAGED)) {
    for (const suffix of ['', LOG, INDEX]) await rm(join(dataDir, name + suffix), { recursive: true, force: true });
  }
}

export async function stageDatabase(dir: string, dataDir: string): Promise<string> {
  const staged = join(dataDir, DATABASE + STAGED);
  await copyFileDurably(join(dir, DATABASE), staged);
  return staged;
}

/** Into a directory beside the old one; or into the store at once, where equal names have equal content. */
export async function stageBlobs(
  dir: string,
  place: BlobPlace,
  { files }: Manifest,
  onProgress: (text: string) => void,
): Promise<void> {
  const { dataDir, blobs: kept } = place;
  const blobs = files.filter(({ path }) => path.startsWith(`${BLOBS}/`));
  if (blobs.length === 0) return;
  if (kept.kind === 'directory') await mkdir(join(dataDir, BLOBS + STAGED), { recursive: true, mode: 0o700 });
  let done = 0;
  for (const { path } of blobs) {
    if (kept.kind === 'directory')
      await copyFileDurably(join(dir, path), join(dataDir, path.replace(BLOBS, BLOBS + STAGED)));
    else await putFile(dir, path, place);
    onProgress(`${++done} of ${blobs.length} blobs copied`);
  }
}

async function putFile(dir: string, path: string, place: BlobPlace): Promise<void> {
  const room = BLOB_ROOMS.find((one) => path.startsWith(`${BLOBS}/${one}/`));
  // Written by a version that had other rooms: nothing here refers to it.
  if (room) await openBlobs(place, room).put(createReadStream(join(dir, path)));
}

/** Renames the old data, then the staged data into its place; returns the new paths of the old data. */
export async function moveIntoPlace(dataDir: string, { kind }: Manifest, suffix: string): Promise<string[]> {
  const path = (name: string) => join(dataDir, name);
  const kept: string[] = [];
  const keep = async (name: string, as: string) => {
    if (!existsSync(path(name))) return;
    await rename(path(name), path(as));
    kept.push(path(as));
  };
  if (kind === 'sqlite') {
    // It was only read, so its log is empty; the new name would give it to another database.
    for (const suffix of [LOG, INDEX]) await rm(path(DATABASE + STAGED + suffix), { force: true });
    await syncPath(path(DATABASE + STAGED), 'file');
    await keep(DATABASE, `${DATABASE}.${suffix}`);
    // SQLite finds a log by its name, so it moves with its database; the index is rebuilt from it.
    await keep(DATABASE + LOG, `${DATABASE}.${suffix}${LOG}`);
    await rm(path(DATABASE + INDEX), { force: true });
  }
  await keep(BLOBS, `${BLOBS}.${suffix}`);
  if (existsSync(path(BLOBS + STAGED))) {
    await syncDirectories(path(BLOBS + STAGED));
    await rename(path(BLOBS + STAGED), path(BLOBS));
  }
  // Last, because a data dir with a database counts as complete.
  if (kind === 'sqlite') await rename(path(DATABASE + STAGED), path(DATABASE));
  await syncPath(dataDir, 'directory');
  return kept;
}
