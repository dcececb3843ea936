import { readFileSync } from 'node:fs';
import type { Host } from '../process/serve-parent.ts';

/** Compiling its programs for a GPU may take a driver a minute. */
const TRIAL_MS = 120_000;

/** Native code cannot be interrupted: a GPU that hangs is left with the process. */
export async function endLate<T>(work: Promise<T>, what: string, broken: Host['broken'], ms = TRIAL_MS): Promise<T> {
  const timer = setTimeout(() => {
    endChildren();
    void broken(`${what} within ${ms / 1000} s`);
  }, ms);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

/** node-llama-cpp tries a library in a process of its own, which would outlive this one if it hangs. */
function endChildren(): void {
  try {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);
    for (const pid of children) process.kill(Number(pid), 'SIGKILL');
  } catch {
    // Elsewhere the system ends them with their parent, or the test ends itself after five minutes.
  }
}
