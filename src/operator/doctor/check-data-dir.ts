import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, open, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { storageProblemOf } from '../../kit/base/storage-failure.ts';
import { type Check, codeOf, fail, ok, warn } from './check.ts';

const GIB = 1024 ** 3;
const SPACE_MIN_BYTES = GIB;
const TRIAL_BYTES = 4096;
const OLDEST_YEAR = 2026;
/** Clocks of a file server and of this machine may differ a little. */
const TOLERANCE_MS = 5 * 60_000;

/** The three things about the place of the data that stop a server in the middle of its work. */
export async function checkDataDir(dataDir: string, nowMs: number): Promise<Check[]> {
  const place = await findExisting(dataDir);
  return [
    await checkWritable(dataDir, place),
    judgeSpace(place, await freeBytes(place)),
    judgeClock(nowMs, await newestWrite(dataDir)),
  ];
}

async function checkWritable(dataDir: string, place: string): Promise<Check> {
  const name = 'data dir';
  const fix = 'give this user the right to write there, or choose another with TRAMONTANE_DATA_DIR';
  try {
    if (!(await stat(place)).isDirectory()) return fail(name, `${place} is a file, not a directory`, fix);
    await access(place, constants.W_OK | constants.X_OK);
    if (place === dataDir) await tryToWrite(dataDir);
  } catch (error) {
    if (storageProblemOf(error) === 'full')
      return fail(name, `the disk of ${place} is full`, 'make room, or choose a larger disk with TRAMONTANE_DATA_DIR');
    return fail(name, `${place} cannot be written (${codeOf(error)})`, fix);
  }
  return ok(name, place === dataDir ? `${dataDir} can be written` : `${dataDir} will be made at the first start`);
}

/** The only way to know: a disk may have room that this user may not use, or fail when it is asked to keep something. */
async function tryToWrite(dir: string): Promise<void> {
  const path = join(dir, `.doctor-${randomBytes(8).toString('hex')}`);
  try {
    await using file = await open(path, 'wx', 0o600);
    await file.writeFile(Buffer.alloc(TRIAL_BYTES));
    await file.datasync();
  } finally {
    await rm(path, { force: true });
  }
}

export function judgeSpace(place: string, bytes: number): Check {
  const name = 'disk space';
  const free = `${(bytes / GIB).toFixed(1)} GiB free at ${place}`;
  if (bytes >= SPACE_MIN_BYTES) return ok(name, free);
  return warn(name, free, 'make room, or move the data to a larger disk with TRAMONTANE_DATA_DIR');
}

export function judgeClock(nowMs: number, newestWriteMs: number): Check {
  const name = 'clock';
  const time = new Date(nowMs).toISOString();
  const fix = 'set the clock of this machine, for example with: timedatectl set-ntp true';
  if (new Date(nowMs).getUTCFullYear() < OLDEST_YEAR) return fail(name, `it says ${time}`, fix);
  if (newestWriteMs > nowMs + TOLERANCE_MS) {
    return fail(
      name,
      `it says ${time}, before the last write to the data (${new Date(newestWriteMs).toISOString()})`,
      fix,
    );
  }
  return ok(name, `it says ${time}`);
}

/** The directory itself, or the nearest one above it that is there. */
async function findExisting(path: string): Promise<string> {
  const found = await stat(path).then(
    () => true,
    () => false,
  );
  return found || dirname(path) === path ? path : findExisting(dirname(path));
}

async function freeBytes(place: string): Promise<number> {
  const { bavail, bsize } = await statfs(place);
  return bavail * bsize;
}

async function newestWrite(dataDir: string): Promise<number> {
  const files = ['tramontane.db', 'tramontane.db-wal'].map((name) => stat(join(dataDir, name)));
  const times = (await Promise.allSettled(files)).map((found) =>
    found.status === 'fulfilled' ? found.value.mtimeMs : 0,
  );
  return Math.max(...times);
}
