import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Child, StartChild } from '../../bench/children.ts';
import { createAsk } from './ask.ts';

const serve = new URL('../../bench/processes/serve-platform.ts', import.meta.url);
const LOOK_MS = 5;
const START_LIMIT_MS = 120_000;
export const API_KEY = 'the-key-of-the-trust-campaign-0123456789';
export const ADMIN_KEY = 'the-admin-key-of-the-trust-campaign-0123456789';

export type Place = {
  port: number;
  dataDir: string;
  config: string;
  env: Record<string, string>;
};

export type Platform = Place & {
  /** From the start of the process to the first successful `/readyz`. */
  readyMs: number;
  child: Child;
};

/** A directory, a port and a configuration that outlive the server's process. */
export async function preparePlace(dir: string, file: object, env: Record<string, string> = {}): Promise<Place> {
  mkdirSync(dir, { recursive: true });
  const config = join(dir, 'tramontane.yaml');
  writeFileSync(config, JSON.stringify(file));
  return { port: await freePort(), dataDir: join(dir, 'data'), config, env };
}

/** Starts the whole server in a separate process that can be killed. Ready when its own `/readyz` says so. */
export async function startPlatform(start: StartChild, place: Place): Promise<Platform> {
  const startedAt = performance.now();
  const child = start(serve, { role: 'free', env: environmentOf(place) });
  const { ask, close } = createAsk(place.port, API_KEY);
  try {
    for (;;) {
      const answer = await ask('/readyz');
      if (answer?.status === 200) break;
      if (performance.now() - startedAt > START_LIMIT_MS || child.hasEnded())
        throw new Error(`The server did not start: ${answer?.text ?? child.log()}`);
      await delay(LOOK_MS);
    }
  } finally {
    close();
  }
  return { ...place, readyMs: performance.now() - startedAt, child };
}

export function environmentOf({ port, dataDir, config, env }: Place): Record<string, string> {
  return {
    TRAMONTANE_PORT: String(port),
    TRAMONTANE_DATA_DIR: dataDir,
    TRAMONTANE_CONFIG: config,
    TRAMONTANE_BOOTSTRAP_API_KEY: API_KEY,
    TRAMONTANE_BOOTSTRAP_ADMIN_KEY: ADMIN_KEY,
    TRAMONTANE_LOG_LEVEL: 'warn',
    // A real server, also one that was killed, starts with a filled compile cache.
    NODE_COMPILE_CACHE: join(tmpdir(), 'tramontane-trust-compile-cache'),
    ...env,
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}
