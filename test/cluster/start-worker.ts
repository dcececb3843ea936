import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { atEnd } from '../support/cleanup.ts';
import type { Address } from './start-cluster.ts';

const script = fileURLToPath(new URL('./fixtures/work.ts', import.meta.url));

/** A worker in a process of its own, to be killed. */
export async function startWorkerProcess({ url, key }: Address, name: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [script, url, key, name], {
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'tramontane-test-compile-cache') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  atEnd(() => void child.kill('SIGKILL'));
  await once(createInterface({ input: child.stdout }), 'line');
  return child;
}
