import { readdirSync, readFileSync } from 'node:fs';

const NANOS_PER_MS = 1_000_000;

/** The CPU time of all threads of these processes so far, in milliseconds; elapsed time where the system does not report it. */
export function cpuTimeOf(pids: readonly number[]): number {
  try {
    return pids.reduce((sum, pid) => sum + ofProcess(pid), 0) / NANOS_PER_MS;
  } catch {
    return performance.now();
  }
}

const ofProcess = (pid: number) =>
  readdirSync(`/proc/${pid}/task`).reduce(
    (sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]),
    0,
  );
