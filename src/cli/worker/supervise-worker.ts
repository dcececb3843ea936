import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import { systemClock } from '../../kit/base/clock.ts';

const LAUNCHER = resolve(import.meta.dirname, '../../../bin/tramontane.js');
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** After its own time to drain a worker that does not leave is ended. */
const LEAVE_MS = 45_000;
/** Whoever lived so long has earned a quick restart. */
const STEADY_MS = 30_000;

export type Supervised = {
  /** Ends the worker, which drains, and starts it anew; without waits between. */
  restart(): void;
  /** Resolves when the worker has left. */
  stop(): Promise<void>;
};

/**
 * A worker in a process of its own: its crash takes nobody with it, and it is started again, later and later while it
 * keeps dying. It leaves by itself when this process is gone.
 */
export function superviseWorker(given: {
  words: string[];
  environment: Environment;
  onDeath: (code: string, waitMs: number) => void;
}): Supervised {
  const { words, environment, onDeath } = given;
  let child: ChildProcess | undefined;
  let waitMs = FIRST_WAIT_MS;
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  let isRestarting = false;
  let whenGone = () => {};

  function start(): void {
    const beganMs = systemClock();
    timer = undefined;
    isRestarting = false;
    // What the worker says goes to stderr: stdout is this command's own.
    child = spawn(process.execPath, [LAUNCHER, 'worker', ...words], {
      env: environment,
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    child.once('exit', (code, signal) => {
      child = undefined;
      if (isStopping) return whenGone();
      if (isRestarting) return start();
      if (systemClock() - beganMs > STEADY_MS) waitMs = FIRST_WAIT_MS;
      onDeath(signal ?? `code ${code}`, waitMs);
      timer = setTimeout(start, waitMs);
      waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
    });
  }

  start();
  return {
    restart() {
      waitMs = FIRST_WAIT_MS;
      if (child) {
        isRestarting = true;
        child.kill('SIGTERM');
      } else {
        clearTimeout(timer);
        start();
      }
    },
    stop() {
      isStopping = true;
      clearTimeout(timer);
      if (!child) return Promise.resolve();
      const gone = new Promise<void>((resolve) => {
        whenGone = resolve;
      });
      child.kill('SIGTERM');
      const last = child;
      const impatience = setTimeout(() => last.kill('SIGKILL'), LEAVE_MS);
      return gone.finally(() => clearTimeout(impatience));
    },
  };
}
