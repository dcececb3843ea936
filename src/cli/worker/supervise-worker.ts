import { type ChildProcess, spawn } from 'node:child_process';
import type { Environment } from '../../config/environment.ts';
import { systemClock } from '../../kit/base/clock.ts';
import { packageFile } from '../../kit/base/locations.ts';

const LAUNCHER = packageFile('bin/tramontane.js');
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** A worker that has not exited by then, after its own drain time, is killed. */
const EXIT_TIMEOUT_MS = 45_000;
/** A worker that ran this long resets the backoff. */
const STABLE_MS = 30_000;
const PLATFORM_SECRET = /^TRAMONTANE_(BOOTSTRAP_.*|ADMIN_KEY|DATABASE_URL)$/;

export type Supervisor = {
  /** Drains the worker and starts it again without backoff. */
  restart(): void;
  /** Resolves when the worker has exited. */
  stop(): Promise<void>;
};

/** Runs a worker in a child process and restarts it with backoff. The child exits when this process does. */
export function superviseWorker(given: {
  args: string[];
  environment: Environment;
  server: { url: string; apiKey: string };
  /** Values that the child must not see, besides the platform's own secrets. */
  secrets?: string[];
  onExit: (reason: string, waitMs: number) => void;
}): Supervisor {
  const { args, onExit } = given;
  const env = environmentOf(given);
  let child: ChildProcess | undefined;
  let waitMs = FIRST_WAIT_MS;
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  let isRestarting = false;
  let whenExited = () => {};

  function start(): void {
    const startedAt = systemClock();
    timer = undefined;
    isRestarting = false;
    // The worker's output goes to stderr, because stdout belongs to this command.
    child = spawn(process.execPath, [LAUNCHER, 'worker', ...args], { env, stdio: ['ignore', 2, 2, 'ipc'] });
    child.once('exit', (code, signal) => {
      child = undefined;
      if (isStopping) return whenExited();
      if (isRestarting) return start();
      if (systemClock() - startedAt > STABLE_MS) waitMs = FIRST_WAIT_MS;
      onExit(signal ?? `code ${code}`, waitMs);
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
      const exited = new Promise<void>((resolve) => {
        whenExited = resolve;
      });
      child.kill('SIGTERM');
      const last = child;
      const killTimer = setTimeout(() => last.kill('SIGKILL'), EXIT_TIMEOUT_MS);
      return exited.finally(() => clearTimeout(killTimer));
    },
  };
}

// The user's workflow code may need any of the user's variables, so the child inherits the environment. It gets
// its own API key, and none of the platform's secrets: it calls the server only over HTTP.
function environmentOf({ environment, server, secrets = [] }: Parameters<typeof superviseWorker>[0]): Environment {
  const allowed = Object.entries(environment).filter(
    ([name, value = '']) => !PLATFORM_SECRET.test(name) && !secrets.includes(value),
  );
  return { ...Object.fromEntries(allowed), TRAMONTANE_URL: server.url, TRAMONTANE_API_KEY: server.apiKey };
}
