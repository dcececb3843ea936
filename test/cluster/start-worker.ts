import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atEnd } from '../support/cleanup.ts';
import { firstLine } from '../support/first-line.ts';
import type { Address } from './start-cluster.ts';

const script = fileURLToPath(new URL('./fixtures/work.ts', import.meta.url));

/** A worker in a separate process that can be killed. */
export async function startWorkerProcess({ url, key }: Address, name: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [script, url, key, name], {
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'tramontane-test-compile-cache') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(() => void child.kill('SIGKILL'));
  await firstLine(child);
  return child;
}
