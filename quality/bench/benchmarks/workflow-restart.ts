import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { scriptFile } from '../../../test/support/programs.ts';
import type { Benchmark } from '../benchmark.ts';
import { type Child, inTemporaryDir, type StartChild, withChildren } from '../children.ts';
import { median } from '../statistics.ts';
import { freePort, waitUntilReady } from '../wait-ready.ts';

const SERVE_PLATFORM = new URL('../processes/serve-platform.ts', import.meta.url);
const WORK = new URL('../processes/work-workflows.ts', import.meta.url);
const START = new URL('../processes/start-executions.ts', import.meta.url);
const FILL = new URL('../processes/fill-executions.ts', import.meta.url);
const READY_SECONDS_MAX = 2;
const MEMORY_MIB_MAX = 300;
const FILL_LIMIT_MS = 300_000;
const RESTARTS = 3;
/** For the server to look at what it found, and to give back what the start left behind. */
const SETTLE_MS = 10_000;

export const workflowRestart: Benchmark = {
  name: 'workflow-restart',
  summary: 'a server that starts with a million ended and 100,000 sleeping executions: time until it is ready, memory',
  run: ({ quick, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const dataDir = join(directory, 'data');
        // As `tramontane start` does; the first server fills it.
        const env = { TRAMONTANE_DATA_DIR: dataDir, NODE_COMPILE_CACHE: join(directory, 'compile-cache') };
        const counts = quick ? { ended: 2000, sleeping: 1000 } : { ended: 1_000_000, sleeping: 100_000 };
        await runModels(start, env);
        progress(`writing ${counts.ended} ended and ${counts.sleeping} sleeping executions`);
        const filler = start(FILL, { role: 'free', args: [join(dataDir, 'tramontane.db')] });
        await filler.ask('fill', counts, FILL_LIMIT_MS);
        const times = { installed: [] as number[], sources: [] as number[] };
        let memory = 0;
        // The very first of each fills its compile cache.
        await timeRestart(true);
        await timeRestart(false);
        for (let i = 0; i < RESTARTS; i++) {
          progress(`restart ${i + 1} of ${RESTARTS}`);
          times.sources.push(await timeRestart(false));
          times.installed.push(await timeRestart(true, i === RESTARTS - 1));
        }
        const name = `ready with ${counts.ended} ended and ${counts.sleeping} sleeping executions`;
        const seconds = (ms: number[]) => ({
          value: median(ms) / 1000,
          unit: 's',
          note: `${ms.map((one) => one.toFixed(0)).join(', ')} ms, loading the program with its compile cache included`,
        });
        return [
          {
            name: `${name}, installed package`,
            ...seconds(times.installed),
            target: { at: '≤', value: READY_SECONDS_MAX },
          },
          { name: `${name}, from sources`, ...seconds(times.sources) },
          {
            name: `memory of the server with ${counts.sleeping} sleeping executions`,
            value: memory,
            unit: 'MiB',
            target: { at: '≤', value: MEMORY_MIB_MAX },
          },
        ];

        async function timeRestart(isBuilt: boolean, isMeasured = false): Promise<number> {
          const { server, readyMs } = await restart(start, isBuilt, env);
          // Answers once its compile cache is written.
          await server.ask('address');
          if (isMeasured) {
            await server.ask('rest');
            await delay(quick ? 1000 : SETTLE_MS);
            memory = residentMib(server);
          }
          await server.end('SIGKILL');
          return readyMs;
        }
      }),
    ),
};

/** One execution that ends and one that sleeps for an hour, to be copied. */
async function runModels(start: StartChild, env: Record<string, string>): Promise<void> {
  const server = start(SERVE_PLATFORM, { role: 'free', env });
  const address = await server.ask<{ port: number; key: string }>('address');
  const worker = start(WORK, { role: 'free' });
  await worker.ask('start', address);
  const clients = start(START, { role: 'free' });
  const one = { ...address, count: 1, concurrency: 1 };
  await clients.ask('start', { ...one, workflow: 'three-steps', waits: true });
  await clients.ask('start', { ...one, workflow: 'sleeper', waits: false });
  while ((await worker.ask<{ turns: number }>('status')).turns > 0) await delay(100);
  await delay(500);
  await worker.end('SIGKILL');
  await clients.end('SIGKILL');
  await server.end('SIGTERM');
}

async function restart(
  start: StartChild,
  isBuilt: boolean,
  env: Record<string, string>,
): Promise<{ server: Child; readyMs: number }> {
  const port = await freePort();
  // Finds the bundle, or builds it, before the time begins.
  scriptFile(fileURLToPath(SERVE_PLATFORM), isBuilt);
  const startedAt = performance.now();
  // As in `start`: nothing else runs beside it.
  const server = start(SERVE_PLATFORM, {
    role: 'free',
    urgent: true,
    isBuilt,
    env: { ...env, TRAMONTANE_PORT: String(port) },
  });
  return { server, readyMs: await waitUntilReady(port, startedAt) };
}

function residentMib({ pid }: Child): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
