import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemClock } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import { codeOf } from './errors.ts';

const POLL_MS = 250;
const HEARTBEAT_MS = 5000;
/** A holder that was silent for so long is gone, whatever its process number says. */
const SILENCE_MS_MAX = 60_000;

type Holder = { pid: number; host: string; token: string };

const ownTokens = new Set<string>();

/**
 * One pull at a time per file, also across processes. Waits while another holds the lock, and takes it over from a
 * holder that died. Returns the way to give it back.
 */
export async function lockFile(
  path: string,
  { signal, onWait, now = systemClock }: { signal: AbortSignal; onWait?: (pid: number) => void; now?: Clock },
): Promise<() => Promise<void>> {
  const holder: Holder = { pid: process.pid, host: hostname(), token: uuid() };
  while (!(await create(path, holder))) {
    signal.throwIfAborted();
    const other = await readHolder(path);
    if (!other || ((await isGone(path, other, now)) && (await evict(path, other, now)))) continue;
    onWait?.(other.pid);
    await sleep(POLL_MS, undefined, { signal });
  }
  const heartbeat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), HEARTBEAT_MS);
  heartbeat.unref();
  return async () => {
    clearInterval(heartbeat);
    ownTokens.delete(holder.token);
    if ((await readHolder(path))?.token === holder.token) await rm(path, { force: true });
  };
}

/** Who holds the lock and is alive. */
export async function findHolder(path: string, now: Clock = systemClock): Promise<number | undefined> {
  const holder = await readHolder(path);
  return holder && !(await isGone(path, holder, now)) ? holder.pid : undefined;
}

async function create(path: string, holder: Holder): Promise<boolean> {
  // Before the file is there, so that no other pull of this process can take the lock for a leftover.
  ownTokens.add(holder.token);
  try {
    const handle = await open(path, 'wx');
    await handle.writeFile(JSON.stringify(holder));
    await handle.close();
    return true;
  } catch (error) {
    ownTokens.delete(holder.token);
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

// A lock that is being written has no owner yet; its age then decides.
async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    return text ? (JSON.parse(text) as Holder) : { pid: 0, host: '', token: '' };
  } catch {
    return undefined;
  }
}

async function isGone(path: string, holder: Holder, now: Clock): Promise<boolean> {
  const touchedMs = (await stat(path).catch(() => undefined))?.mtimeMs;
  if (touchedMs === undefined || now() - touchedMs > SILENCE_MS_MAX) return true;
  if (holder.host !== hostname()) return false;
  // Containers hand out the same few numbers again: a lock with ours that we do not know is a leftover.
  if (holder.pid === process.pid) return !ownTokens.has(holder.token);
  return !isAlive(holder.pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * Two waiters may both judge the same holder gone, and the slower one must not remove the lock of the faster: whoever has
 * the turn looks once more. A turn that a dead process left is as old as a silent holder.
 */
async function evict(path: string, gone: Holder, now: Clock): Promise<boolean> {
  const turn = `${path}.turn`;
  try {
    await (await open(turn, 'wx')).close();
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    const takenMs = (await stat(turn).catch(() => undefined))?.mtimeMs;
    if (takenMs !== undefined && now() - takenMs > SILENCE_MS_MAX) await rm(turn, { force: true });
    return false;
  }
  try {
    if ((await readHolder(path))?.token === gone.token) await rm(path, { force: true });
    return true;
  } finally {
    await rm(turn, { force: true });
  }
}
