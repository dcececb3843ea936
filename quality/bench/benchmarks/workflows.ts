import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { inTemporaryDir, withChildren } from '../children.ts';
import { median } from '../statistics.ts';

const SERVE_PLATFORM = new URL('../processes/serve-platform.ts', import.meta.url);
const WORK = new URL('../processes/work-workflows.ts', import.meta.url);
const START = new URL('../processes/start-executions.ts', import.meta.url);
const PER_SECOND_MIN = 1200;
const LATENCY_MS_MAX = 5;
const CPU_MICROS_MAX = 800;

type Counts = { count: number; byText: [sql: string, count: number][] };
type Loaded = { seconds: number; latencies: number[]; ids: string[] };

export const workflows: Benchmark = {
  name: 'workflows',
  summary: 'executions of three trivial steps, worker in its own process: throughput and start to result',
  run: ({ quick, profileDir }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const env = { TRAMONTANE_DATA_DIR: join(directory, 'data') };
        const nodeArgs = profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [];
        const server = start(SERVE_PLATFORM, { role: 'server', env, nodeArgs });
        const worker = start(WORK, { role: 'load' });
        const clients = start(START, { role: 'load' });
        const address = await server.ask<{ port: number; key: string }>('address');
        await worker.ask('start', address);
        const load = (count: number, concurrency: number) =>
          clients.ask<Loaded>('start', { ...address, workflow: 'three-steps', waits: true, count, concurrency });

        // Warms up all three processes: V8 goes on compiling for some thousands of executions.
        await load(quick ? 200 : 8000, 50);
        const cpuBefore = await server.ask<number>('cpuMicros');
        const busy = await load(quick ? 300 : 3000, 50);
        const cpuMicros = (await server.ask<number>('cpuMicros')) - cpuBefore;
        const calm = await load(quick ? 20 : 200, 1);
        // Last: counting costs time.
        await server.ask('countStatements');
        const counted = async (count: number, concurrency: number) => {
          await server.ask('statements');
          await load(count, concurrency);
          const { count: statements, byText } = await server.ask<Counts>('statements');
          const commits = byText.find(([sql]) => sql === 'commit')?.[1] ?? 0;
          return { statements: statements / count, commits: commits / count };
        };
        const many = await counted(quick ? 100 : 500, 50);
        const one = await counted(quick ? 10 : 50, 1);
        // Only a server that exits by itself writes a profile.
        if (profileDir) await server.end();
        const perSecond = busy.latencies.length / busy.seconds;
        return [
          {
            name: 'executions at concurrency 50',
            value: perSecond,
            unit: '/s',
            target: { at: '≥', value: PER_SECOND_MIN },
            note: `p50 ${median(busy.latencies).toFixed(1)} ms`,
          },
          {
            name: 'start to result, one at a time, p50',
            value: median(calm.latencies),
            unit: 'ms',
            target: { at: '≤', value: LATENCY_MS_MAX },
          },
          {
            name: 'CPU time of the server per execution',
            value: cpuMicros / busy.latencies.length,
            unit: 'µs',
            target: { at: '≤', value: CPU_MICROS_MAX },
          },
          {
            name: 'statements of an execution at concurrency 50',
            value: many.statements,
            unit: '',
            note: `${many.commits.toFixed(2)} commits; alone ${one.statements.toFixed(1)} statements in ${one.commits.toFixed(2)} commits`,
          },
        ];
      }),
    ),
};
