import type { ChildProcess } from 'node:child_process';

// Bubblewrap alone is not enough: killed while it sets things up, it would leave what it has started behind. The first
// process inside is in the group for good, and takes the others along.
export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
