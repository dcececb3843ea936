import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../../kit/base/error-code.ts';
import { storageProblemOf } from '../../kit/base/storage-failure.ts';
import { type Check, fail, ok, warn } from './check.ts';

const GIB = 1024 ** 3;
const SPACE_MIN_BYTES = GIB;
const TRIAL_BYTES = 4096;
const DATABASE_FILE = /^tramontane\.db/;
const OLDEST_YEAR = 2026;
/** The clock of a file server may differ a little. */
const TOLERANCE_MS = 5 * 60_000;

/** The data dir, its disk and the clock: problems with them stop a running server. */
export async function checkDataDir(dataDir: string, nowMs: number): Promise<Check[]> {
  const dir = await findExistingDir(dataDir);
  return [
    await checkWritable(dataDir, dir),
    checkSpace(dir, await freeBytes(dir)),
    checkClock(nowMs, await newestWrite(dataDir)),
  ];
}

async function checkWritable(dataDir: string, dir: string): Promise<Check> {
  const name = 'data dir';
  const fix = 'give this user the right to write there, or choose another with TRAMONTANE_DATA_DIR';
  try {
    if (!(await stat(dir)).isDirectory()) return fail(name, `${dir} is a file, not a directory`, fix);
    await access(dir, constants.W_OK | constants.X_OK);
    if (dir === dataDir) await tryToWrite(dataDir);
  } catch (error) {
    if (storageProblemOf(error) === 'full')
      return fail(name, `the disk of ${dir} is full`, 'make room, or choose a larger disk with TRAMONTANE_DATA_DIR');
    return fail(name, `${dir} cannot be written (${codeOf(error)})`, fix);
  }
  if (dir !== dataDir) return ok(name, `${dataDir} will be created at the first start`);
  return (await checkAccess(dataDir)) ?? ok(name, `${dataDir} can be written`);
}

/** Keys are stored as hashes, but prompts, files and the secrets that sign links are not. */
async function checkAccess(dataDir: string): Promise<Check | undefined> {
  if (process.platform === 'win32') return undefined;
  const names = (await readdir(dataDir)).filter((name) => DATABASE_FILE.test(name));
  const exposed: { path: string; mode: string; wanted: string }[] = [];
  for (const path of [dataDir, ...names.map((name) => join(dataDir, name))]) {
    const mode = (await stat(path)).mode & 0o777;
    const wanted = path === dataDir ? '700' : '600';
    if ((mode & 0o077) !== 0) exposed.push({ path, mode: mode.toString(8), wanted });
  }
  if (exposed.length === 0) return undefined;
  const found = exposed.map(({ path, mode }) => `${path} has the mode ${mode}`).join(', ');
  const commands = exposed.map(({ path, wanted }) => `chmod ${wanted} ${JSON.stringify(path)}`).join(' && ');
  return warn('data dir', `other users of this machine can read it: ${found}`, `run: ${commands}`);
}

/** Only a write shows a quota of this user, or a failing disk. */
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

export function checkSpace(dir: string, bytes: number): Check {
  const name = 'disk space';
  const free = `${(bytes / GIB).toFixed(1)} GiB free at ${dir}`;
  if (bytes >= SPACE_MIN_BYTES) return ok(name, free);
  return warn(name, free, 'make room, or move the data to a larger disk with TRAMONTANE_DATA_DIR');
}

export function checkClock(nowMs: number, newestWriteMs: number): Check {
  const name = 'clock';
  const time = new Date(nowMs).toISOString();
  const fix = 'set the clock of this machine, for example with: timedatectl set-ntp true';
  if (new Date(nowMs).getUTCFullYear() < OLDEST_YEAR) return fail(name, `the time is ${time}`, fix);
  if (newestWriteMs > nowMs + TOLERANCE_MS) {
    return fail(
      name,
      `the time is ${time}, before the last write to the data (${new Date(newestWriteMs).toISOString()})`,
      fix,
    );
  }
  return ok(name, `the time is ${time}`);
}

/** The directory itself, or its nearest existing parent. */
async function findExistingDir(path: string): Promise<string> {
  const found = await stat(path).then(
    () => true,
    () => false,
  );
  return found || dirname(path) === path ? path : findExistingDir(dirname(path));
}

async function freeBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

async function newestWrite(dataDir: string): Promise<number> {
  const files = ['tramontane.db', 'tramontane.db-wal'].map((name) => stat(join(dataDir, name)));
  const times = (await Promise.allSettled(files)).map((found) =>
    found.status === 'fulfilled' ? found.value.mtimeMs : 0,
  );
  return Math.max(...times);
}
