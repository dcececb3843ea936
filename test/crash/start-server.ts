import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atEnd } from '../support/cleanup.ts';
import { firstLine } from '../support/first-line.ts';
import { scriptFile } from '../support/programs.ts';

export const CRASH_KEY = 'the-key-of-the-crash-tests-0123456789';

const source = fileURLToPath(new URL('./fixtures/notes-server.ts', import.meta.url));

export type Started = { child: ChildProcess; url: string };

/** A server in a separate process that can be killed. */
export async function startServer(dataDir: string, config: string, env: Record<string, string> = {}): Promise<Started> {
  const child = spawnServer(dataDir, config, env);
  return { child, url: await firstLine(child) };
}

/** The process alone; it prints its address when it has started. */
export function spawnServer(dataDir: string, config: string, env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, ['--enable-source-maps', scriptFile(source)], {
    env: {
      ...process.env,
      TRAMONTANE_DATA_DIR: dataDir,
      TRAMONTANE_PORT: '0',
      // Starting takes most of a round, and compiling most of a start.
      NODE_COMPILE_CACHE: join(tmpdir(), 'tramontane-test-compile-cache'),
      TRAMONTANE_BOOTSTRAP_API_KEY: CRASH_KEY,
      TRAMONTANE_CONFIG: config,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(() => void child.kill('SIGKILL'));
  return child;
}

/** For a server that comes back at the same address. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}
