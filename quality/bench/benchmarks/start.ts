import { get } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Benchmark } from '../benchmark.ts';
import { inTemporaryDir, type StartChild, withChildren } from '../children.ts';
import { median } from '../statistics.ts';

const FILL_DATABASE = new URL('../processes/fill-database.ts', import.meta.url);
const LAUNCHER = new URL('../../../bin/tramontane.js', import.meta.url);
const POLL_MS = 5;
const READY_LIMIT_MS = 30_000;
const FILL_LIMIT_MS = 300_000;
const MIB = 1024 * 1024;
const WAL_BYTES = 8 * MIB;

export const start: Benchmark = {
  name: 'start',
  summary: 'from process start to /readyz 200, on an empty data dir and on 1 GiB after a kill',
  run: ({ quick, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (startChild) => {
        const runs = quick ? 3 : 5;
        const dataBytes = (quick ? 64 : 1024) * MIB;
        // A separate compile cache: entries of other runs in the shared one would decide the figures.
        const cache = join(directory, 'compile-cache');
        const full = join(directory, 'full');

        const cold = await timeStart(startChild, full, cache, 'SIGTERM');
        const empty: number[] = [];
        for (let i = 0; i < runs; i++) {
          progress(`start: empty data dir, ${i + 1} of ${runs}`);
          empty.push(await timeStart(startChild, join(directory, `empty-${i}`), cache, 'SIGTERM'));
        }
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
          loaded.push(await timeStart(startChild, full, cache, 'SIGKILL'));
        }
        const all = (times: number[]) => `${times.map((ms) => ms.toFixed(0)).join(', ')} ms`;
        return [
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
  dataDir: string,
  cache: string,
  signal: NodeJS.Signals,
): Promise<number> {
  const port = await freePort();
  const startedAt = performance.now();
  const server = startChild(LAUNCHER, {
    role: 'free',
    urgent: true,
    args: ['start'],
    env: {
      TRAMONTANE_DATA_DIR: dataDir,
      TRAMONTANE_PORT: String(port),
      // The console is built after the server is ready, and the build would still run when the next server starts.
      TRAMONTANE_CONSOLE: 'off',
      NODE_COMPILE_CACHE: cache,
    },
  });
  try {
    while ((await statusOf(port)) !== 200) {
      if (performance.now() - startedAt > READY_LIMIT_MS) throw new Error(`Not ready after ${READY_LIMIT_MS} ms.`);
      await delay(POLL_MS);
    }
    return performance.now() - startedAt;
  } finally {
    await server.end(signal);
  }
}

/** 0 while the server does not respond. */
function statusOf(port: number): Promise<number> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/readyz', agent: false }, (response) => {
      response.resume().on('close', () => resolve(response.statusCode ?? 0));
    });
    request.setTimeout(1000, () => request.destroy());
    request.on('error', () => resolve(0));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(address && typeof address === 'object' ? address.port : 0));
    });
  });
}
