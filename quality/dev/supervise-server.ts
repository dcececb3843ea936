import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ViteDevServer } from 'vite';

const ROOT = resolve(import.meta.dirname, '../..');
const WATCHED = ['src', 'migrations', 'packages/workflows/src'].map((dir) => resolve(ROOT, dir));
const FOR_TESTS = /\.test\.ts$|-for-tests[./]/;
/** Several files saved by an editor, or by git, cause one restart. */
const SETTLE_MS = 150;
/** After this, running requests are aborted: a restart should not wait for them. */
const DRAIN_MS = 2000;
const PROBE_MS = 100;

type Supervised = { stop(signal: NodeJS.Signals): Promise<void> };

/**
 * Runs the server and restarts it when a source changes. Not with `node --watch`: it makes child processes report their
 * imports as messages, which the server would take for replies.
 */
export function superviseServer(options: {
  watcher: ViteDevServer['watcher'];
  url: string;
  environment: Record<string, string>;
  onReady: () => void;
}): Supervised {
  const { watcher, url, environment, onReady } = options;
  let settling: NodeJS.Timeout | undefined;
  let restarting = Promise.resolve();
  let isStopping = false;
  /** Whether the server was asked to exit. */
  let isExpected = false;
  let child = start();

  function start(): ChildProcess {
    const started = spawn(process.execPath, ['--max-semi-space-size=16', `${ROOT}/bin/tramontane.js`, 'start'], {
      stdio: 'inherit',
      env: { ...process.env, ...environment },
    });
    started.once('exit', (code, signal) => {
      if (isExpected) return;
      console.log(`dev: the server ended (${signal ?? `exit code ${code}`}); it starts again when a source changes`);
    });
    void waitUntilHealthy(started).then((isHealthy) => isHealthy && onReady());
    return started;
  }

  async function waitUntilHealthy(started: ChildProcess): Promise<boolean> {
    while (isRunning(started)) {
      const response = await fetch(`${url}/healthz`).catch(() => undefined);
      if (response?.ok) return isRunning(started);
      await sleep(PROBE_MS);
    }
    return false;
  }

  async function restart(): Promise<void> {
    if (isRunning(child)) {
      isExpected = true;
      child.kill('SIGTERM');
      const impatience = setTimeout(() => child.kill('SIGTERM'), DRAIN_MS);
      await once(child, 'exit');
      clearTimeout(impatience);
    }
    if (isStopping) return;
    isExpected = false;
    child = start();
  }

  watcher.add(WATCHED);
  watcher.on('all', (_event, path) => {
    if (isStopping || FOR_TESTS.test(path) || !WATCHED.some((dir) => path.startsWith(dir))) return;
    clearTimeout(settling);
    settling = setTimeout(() => {
      console.log(`dev: ${relative(ROOT, path)} changed, restarting the server`);
      restarting = restarting.then(restart);
    }, SETTLE_MS);
  });

  return {
    async stop(signal) {
      isStopping = true;
      isExpected = true;
      clearTimeout(settling);
      if (!isRunning(child)) return;
      child.kill(signal);
      await once(child, 'exit');
    },
  };
}

const isRunning = (child: ChildProcess) => child.exitCode === null && child.signalCode === null;
