import type { ChildProcess } from 'node:child_process';

const CLOSE_MS = 5000;

/** Closing the channel is the polite way; a child inside a long computation may not hear it in time. */
export async function endChild(child: ChildProcess, limitMs = CLOSE_MS): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('exit', () => resolve());
  const force = setTimeout(() => child.kill('SIGKILL'), limitMs);
  if (child.connected) child.disconnect();
  await promise;
  clearTimeout(force);
}
