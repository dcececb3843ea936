import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts the time of processes in hundredths of a second, whatever the kernel's own clock. */
const TICK_MS = 10;

type Process = { pid: number; parent: number; ms: number };

/**
 * The processor time of this process so far, in milliseconds, with that of all processes below it: of those that have
 * ended and were waited for, and of those that run. Elsewhere than on Linux it is the time of this process alone.
 */
export function treeCpuMs(): number {
  const { user, system } = process.cpuUsage();
  const ownMs = (user + system) / 1000;
  return process.platform === 'linux' ? ownMs + endedChildrenMs() + sumBelow(process.pid, readProcesses()) : ownMs;
}

/** The processor time of the children that ended and were waited for, with what they had waited for themselves. */
export function endedChildrenMs(): number {
  const fields = readFields('self');
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}

function sumBelow(pid: number, processes: Process[]): number {
  return processes
    .filter(({ parent }) => parent === pid)
    .reduce((sum, child) => sum + child.ms + sumBelow(child.pid, processes), 0);
}

function readProcesses(): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const fields = readFields(name);
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      return [{ pid: Number(name), parent: Number(fields[1]), ms: ticks * TICK_MS }];
    } catch {
      // It has ended since the folder was read.
      return [];
    }
  });
}

/** The fields of /proc/<pid>/stat behind the name of the program, which may contain blanks and brackets. */
function readFields(pid: string): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
