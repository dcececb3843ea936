import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { installFromCheckout, packInto } from '../../build/stage-package.ts';
import type { Benchmark } from '../benchmark.ts';
import { type Child, inTemporaryDir, type StartChild, withChildren } from '../children.ts';
import { median } from '../statistics.ts';
import { freePort, waitUntilReady } from '../wait-ready.ts';

const FILL_DATABASE = new URL('../processes/fill-database.ts', import.meta.url);
const SOURCES = new URL('../../../bin/tramontane.js', import.meta.url);
const FILL_LIMIT_MS = 300_000;
const MIB = 1024 * 1024;
const WAL_BYTES = 8 * MIB;
/** After the start a server gives memory back, once nothing happens. */
const IDLE_MS = 8000;

export const start: Benchmark = {
  name: 'start',
  summary:
    'from process start to /readyz 200, on an empty data dir and on 1 GiB after a kill; the package beside the sources',
  run: ({ quick, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (startChild) => {
        const runs = quick ? 3 : 5;
        const dataBytes = (quick ? 64 : 1024) * MIB;
        // A separate compile cache: entries of other runs in the shared one would decide the figures.
        const cache = join(directory, 'compile-cache');
        const full = join(directory, 'full');

        progress('start: building the package');
        const launcher = installFromCheckout(await packInto(directory), join(directory, 'project'));
        const built = pathToFileURL(launcher);

        const cold = await timeStart(startChild, SOURCES, full, cache, 'SIGTERM');
        const builtCold = await timeStart(startChild, built, join(directory, 'cold'), cache, 'SIGTERM');
        const empty: number[] = [];
        const builtEmpty: number[] = [];
        for (let i = 0; i < runs; i++) {
          progress(`start: empty data dir, ${i + 1} of ${runs}`);
          empty.push(await timeStart(startChild, SOURCES, join(directory, `empty-${i}`), cache, 'SIGTERM'));
          builtEmpty.push(await timeStart(startChild, built, join(directory, `built-${i}`), cache, 'SIGTERM'));
        }
        progress('start: memory of an idle server');
        const idle = await idleMemory(startChild, SOURCES, join(directory, 'idle'), cache);
        const builtIdle = await idleMemory(startChild, built, join(directory, 'built-idle'), cache);
        progress(`start: writing ${dataBytes / MIB} MiB`);
        const filler = startChild(FILL_DATABASE, { role: 'free', args: [databaseOf(full)] });
        await filler.ask('fill', dataBytes, FILL_LIMIT_MS);
        await filler.end('SIGKILL');
        const loaded: number[] = [];
        let walBytes = 0;
        for (let i = 0; i < runs; i++) {
          progress(`start: ${dataBytes / MIB} MiB, ${i + 1} of ${runs}`);
          const writer = startChild(FILL_DATABASE, { role: 'free', args: [databaseOf(full)] });
          walBytes = await writer.ask<number>('leaveWal', WAL_BYTES);
          // Killed in the middle of its work, it leaves its write-ahead log behind.
          await writer.end('SIGKILL');
          loaded.push(await timeStart(startChild, SOURCES, full, cache, 'SIGKILL'));
        }
        const all = (times: number[]) => `${times.map((ms) => ms.toFixed(0)).join(', ')} ms`;
        return [
          {
            name: 'empty data dir, installed package',
            value: median(builtEmpty) / 1000,
            unit: 's',
            target: { at: '≤', value: 0.7 },
            note: `${all(builtEmpty)}; the very first, without a compile cache: ${builtCold.toFixed(0)} ms`,
          },
          {
            name: 'memory when idle, installed package',
            value: builtIdle,
            unit: 'MiB',
            target: { at: '≤', value: 150 },
            note: `from sources: ${idle.toFixed(0)} MiB`,
          },
          {
            name: 'empty data dir',
            value: median(empty) / 1000,
            unit: 's',
            target: { at: '<', value: 1 },
            note: `${all(empty)}; the very first, without a compile cache: ${cold.toFixed(0)} ms`,
          },
          {
            name: `${dataBytes / MIB} MiB of events and a log of ${(walBytes / MIB).toFixed(0)} MiB`,
            value: median(loaded) / 1000,
            unit: 's',
            target: { at: '<', value: 3 },
            note: all(loaded),
          },
        ];
      }),
    ),
};

function databaseOf(dataDir: string): string {
  return join(dataDir, 'tramontane.db');
}

async function timeStart(
  startChild: StartChild,
  launcher: URL,
  dataDir: string,
  cache: string,
  signal: NodeJS.Signals,
): Promise<number> {
  const { server, readyMs } = await startUntilReady(startChild, launcher, dataDir, cache);
  await server.end(signal);
  return readyMs;
}

/** Of a server that nobody has called, in MiB; 0 where the system does not report it. */
async function idleMemory(startChild: StartChild, launcher: URL, dataDir: string, cache: string): Promise<number> {
  const { server } = await startUntilReady(startChild, launcher, dataDir, cache);
  try {
    await delay(IDLE_MS);
    const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return 0;
  } finally {
    await server.end('SIGTERM');
  }
}

async function startUntilReady(
  startChild: StartChild,
  launcher: URL,
  dataDir: string,
  cache: string,
): Promise<{ server: Child; readyMs: number }> {
  const port = await freePort();
  const startedAt = performance.now();
  const server = startChild(launcher, {
    role: 'free',
    urgent: true,
    args: ['start'],
    env: {
      TRAMONTANE_DATA_DIR: dataDir,
      TRAMONTANE_PORT: String(port),
      TRAMONTANE_AUTO_PULL: 'off',
      // A checkout builds it after the server is ready, and would still do so when the next server starts.
      ...(launcher === SOURCES ? { TRAMONTANE_CONSOLE: 'off' } : {}),
      NODE_COMPILE_CACHE: cache,
    },
  });
  try {
    return { server, readyMs: await waitUntilReady(port, startedAt) };
  } catch (error) {
    await server.end('SIGKILL');
    throw error;
  }
}
