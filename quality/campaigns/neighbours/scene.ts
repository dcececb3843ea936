import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Child, SERVER_FLAGS, type StartChild } from '../../bench/children.ts';
import { ask } from '../support/ask.ts';

const SERVE = new URL('../processes/serve.ts', import.meta.url);
const API_KEY = 'the-api-key-of-the-trust-campaign-0123456789';
const SAMPLE_MS = 100;
const MIB = 1024 * 1024;

export type Scene = {
  url: string;
  /** The key of the tenant that is to notice nothing. */
  key: string;
  child: Child;
  /** From the start of the process to the first successful `/readyz`. */
  readyMs: number;
};

export type Load = { stallMs: number; memoryMib: number };

/**
 * The whole server in a process of its own; started again on the same directory it finds what was stored. It may use
 * every core, as it does for its users: on one alone the threads that write files and collect garbage would stop the
 * event loop, and a waiting request would measure them.
 */
export async function startScene(start: StartChild, directory: string, config: object): Promise<Scene> {
  const file = join(directory, 'tramontane.yaml');
  writeFileSync(file, JSON.stringify(config));
  const startedAt = performance.now();
  const child = start(SERVE, {
    role: 'free',
    nodeArgs: SERVER_FLAGS,
    env: {
      TRAMONTANE_DATA_DIR: join(directory, 'data'),
      TRAMONTANE_CONFIG: file,
      TRAMONTANE_BOOTSTRAP_API_KEY: API_KEY,
      TRAMONTANE_LOG_LEVEL: 'error',
      NODE_COMPILE_CACHE: join(tmpdir(), 'tramontane-test-compile-cache'),
    },
  });
  const { url } = await child.ask<{ url: string }>('address');
  while ((await ask(`${url}/readyz`, {})).status !== 200) await delay(5);
  return { url, key: API_KEY, child, readyMs: performance.now() - startedAt };
}

/** The longest stall of the server's event loop and its greatest memory while `work` runs. */
export async function watchLoad<T>({ child }: Scene, work: () => Promise<T>): Promise<{ result: T; load: Load }> {
  await child.ask('stallMs');
  let most = 0;
  let isOver = false;
  // The operating system knows the memory of a process that has no time to answer.
  const sampler = (async () => {
    for (; !isOver; await delay(SAMPLE_MS)) most = Math.max(most, residentMib(child.pid));
  })();
  try {
    const result = await work();
    isOver = true;
    await sampler;
    const stallMs = await child.ask<number>('stallMs');
    return { result, load: { stallMs, memoryMib: Math.max(most, residentMib(child.pid)) } };
  } finally {
    isOver = true;
  }
}

export function residentMib(pid: number): number {
  try {
    return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096) / MIB;
  } catch {
    return 0;
  }
}
