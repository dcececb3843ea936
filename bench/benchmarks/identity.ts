import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { type Child, inTemporaryDir, withChildren } from '../children.ts';
import type { Target } from '../processes/connection.ts';
import type { Load } from '../processes/generate-load.ts';
import { median } from '../statistics.ts';

const GENERATE_LOAD = new URL('../processes/generate-load.ts', import.meta.url);
const SERVE_BARE = new URL('../processes/serve-bare.ts', import.meta.url);
const SERVE_PLATFORM = new URL('../processes/serve-platform.ts', import.meta.url);
const CONNECTIONS = 32;
const PATH = '/v1/users/me';
const RATIO_MIN = 0.6;
/** A server that had less of its core than this was disturbed by somebody else. */
const CPU_SHARE_MIN = 0.75;
const CLEAN_PAIRS_MIN = 3;

type Server = { child: Child; target: Target };
type Round = Load & { cpuMicrosPerRequest: number; cpuShare: number };
type Pair = { ours: Round; theirs: Round };

export const identity: Benchmark = {
  name: 'identity',
  summary: 'warm authenticated GET /v1/users/me against a bare Fastify route with the same body, on one core',
  run: ({ quick, profileDir, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const rounds = quick ? 5 : 15;
        const durationMs = quick ? 400 : 1000;
        const generator = start(GENERATE_LOAD, { role: 'load' });
        const platform = start(SERVE_PLATFORM, {
          role: 'server',
          env: { TRAMONTANE_DATA_DIR: join(directory, 'data') },
          nodeArgs: profileDir ? ['--cpu-prof', '--cpu-prof-interval=200', `--cpu-prof-dir=${profileDir}`] : [],
        });
        const bare = start(SERVE_BARE, { role: 'server' });
        const { port, key } = await platform.ask<{ port: number; key: string }>('address');
        const response = await fetch(`http://127.0.0.1:${port}${PATH}`, {
          headers: { authorization: `Bearer ${key}` },
        });
        const ours: Server = { child: platform, target: { port, key, path: PATH } };
        const served = await bare.ask<{ port: number }>('serve', await response.json());
        const theirs: Server = { child: bare, target: { port: served.port, key, path: '/' } };

        const measure = async ({ child, target }: Server): Promise<Round> => {
          const before = await child.ask<number>('cpuMicros');
          const load = await generator.ask<Load>('closedLoop', { target, connections: CONNECTIONS, durationMs });
          const cpuMicros = (await child.ask<number>('cpuMicros')) - before;
          return {
            ...load,
            cpuMicrosPerRequest: cpuMicros / load.requests,
            cpuShare: (cpuMicros / load.requests) * load.perSecond * 1e-6,
          };
        };
        for (let i = 0; i < 2; i++) for (const server of [ours, theirs]) await measure(server);
        const all: Pair[] = [];
        const isClean = ({ ours, theirs }: Pair) => Math.min(ours.cpuShare, theirs.cpuShare) >= CPU_SHARE_MIN;
        while (all.filter(isClean).length < rounds && all.length < rounds * 3) {
          progress(`identity: round ${all.length + 1}`);
          // Who goes first alternates, so that a machine that slows down or speeds up favours nobody.
          if (all.length % 2 === 0) all.push({ ours: await measure(ours), theirs: await measure(theirs) });
          else {
            const first = await measure(theirs);
            all.push({ theirs: first, ours: await measure(ours) });
          }
        }
        if (profileDir) await platform.ask('exit').catch(() => undefined);

        const clean = all.filter(isClean);
        const pairs = clean.length >= CLEAN_PAIRS_MIN ? clean : all;
        const of = (pick: (pair: Pair) => number) => median(pairs.map(pick));
        const rates = `${of((p) => p.ours.perSecond).toFixed(0)} vs ${of((p) => p.theirs.perSecond).toFixed(0)} requests/s`;
        const latency = `p99 ${of((p) => p.ours.p99Ms).toFixed(1)} vs ${of((p) => p.theirs.p99Ms).toFixed(1)} ms`;
        const cpu = `${of((p) => p.ours.cpuMicrosPerRequest).toFixed(1)} vs ${of((p) => p.theirs.cpuMicrosPerRequest).toFixed(1)} µs CPU per request`;
        const busy = `generator ${(of((p) => p.theirs.busy) * 100).toFixed(0)}% busy, ${clean.length} of ${all.length} rounds undisturbed`;
        return [
          {
            name: 'requests/s vs bare Fastify',
            value: of((p) => p.ours.perSecond / p.theirs.perSecond),
            unit: '×',
            target: { at: '≥', value: RATIO_MIN },
            note: `${rates}, ${latency}, ${busy}`,
          },
          {
            name: 'CPU time per request, bare vs ours',
            value: of((p) => p.theirs.cpuMicrosPerRequest / p.ours.cpuMicrosPerRequest),
            unit: '×',
            note: cpu,
          },
        ];
      }),
    ),
};
