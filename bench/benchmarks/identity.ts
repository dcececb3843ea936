import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Benchmark, Figure } from '../benchmark.ts';
import { type Child, inTemporaryDir, type StartChild, withChildren } from '../children.ts';
import type { Target } from '../processes/connection.ts';
import type { Load } from '../processes/generate-load.ts';
import { median } from '../statistics.ts';

const GENERATE_LOAD = new URL('../processes/generate-load.ts', import.meta.url);
const SERVE_BARE = new URL('../processes/serve-bare.ts', import.meta.url);
const SERVE_PLATFORM = new URL('../processes/serve-platform.ts', import.meta.url);
const CONNECTIONS = 32;
const PATH = '/v1/users/me';
// Short bursts with pauses: while one lasts, nobody else gets the core.
const BURST_MS = 300;
const PAUSE_MS = 500;
const WARM_ROUNDS = 5;
const PROFILE_LIMIT_MS = 60_000;
const RATIO_MIN = 0.6;
/** A server that had less of its core than this was disturbed by somebody else. */
const CPU_SHARE_MIN = 0.75;
const CLEAN_PAIRS_MIN = 3;

type Server = { child: Child; target: Target };
type Round = Load & { /** Per request. */ cpuMicros: number; cpuShare: number };
type Pair = { ours: Round; theirs: Round };

export const identity: Benchmark = {
  name: 'identity',
  summary: 'warm authenticated GET /v1/users/me against a bare Fastify route with the same body, on one core',
  run: ({ quick, profileDir, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const rounds = quick ? 5 : 25;
        const generator = start(GENERATE_LOAD, { role: 'load', urgent: true });
        const { ours, theirs } = await startServers(start, directory, profileDir);
        const measure = ({ child, target }: Server) => measureRound(generator, child, target);
        for (let i = 0; i < WARM_ROUNDS; i++) for (const server of [ours, theirs]) await measure(server);

        const pairs: Pair[] = [];
        while (pairs.filter(isClean).length < rounds && pairs.length < rounds * 3) {
          progress(`identity: round ${pairs.length + 1}`);
          // Who goes first alternates, so that a machine that slows down or speeds up favours nobody.
          if (pairs.length % 2 === 0) pairs.push({ ours: await measure(ours), theirs: await measure(theirs) });
          else {
            const first = await measure(theirs);
            pairs.push({ theirs: first, ours: await measure(ours) });
          }
        }
        if (profileDir) await ours.child.end('SIGTERM', PROFILE_LIMIT_MS);
        return figuresOf(pairs);
      }),
    ),
};

type Servers = { ours: Server; theirs: Server };

async function startServers(start: StartChild, directory: string, profileDir: string | undefined): Promise<Servers> {
  const platform = start(SERVE_PLATFORM, {
    role: 'server',
    urgent: true,
    env: { TRAMONTANE_DATA_DIR: join(directory, 'data') },
    nodeArgs: profileDir ? ['--cpu-prof', '--cpu-prof-interval=200', `--cpu-prof-dir=${profileDir}`] : [],
  });
  const bare = start(SERVE_BARE, { role: 'server', urgent: true });
  const { port, key } = await platform.ask<{ port: number; key: string }>('address');
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`http://127.0.0.1:${port}${PATH}`, { headers });
  const served = await bare.ask<{ port: number }>('serve', await response.json());
  return {
    ours: { child: platform, target: { port, key, path: PATH } },
    theirs: { child: bare, target: { port: served.port, key, path: '/' } },
  };
}

async function measureRound(generator: Child, server: Child, target: Target): Promise<Round> {
  await delay(PAUSE_MS);
  const before = await server.ask<number>('cpuMicros');
  const load = await generator.ask<Load>('closedLoop', { target, connections: CONNECTIONS, durationMs: BURST_MS });
  const cpuMicros = ((await server.ask<number>('cpuMicros')) - before) / load.requests;
  return { ...load, cpuMicros, cpuShare: cpuMicros * load.perSecond * 1e-6 };
}

function isClean({ ours, theirs }: Pair): boolean {
  return Math.min(ours.cpuShare, theirs.cpuShare) >= CPU_SHARE_MIN;
}

function figuresOf(all: Pair[]): Figure[] {
  const clean = all.filter(isClean);
  const isDisturbed = clean.length < CLEAN_PAIRS_MIN;
  const pairs = isDisturbed ? all : clean;
  const of = (pick: (pair: Pair) => number) => median(pairs.map(pick));
  const both = (pick: (round: Round) => number, digits: number) =>
    `${of(({ ours }) => pick(ours)).toFixed(digits)} vs ${of(({ theirs }) => pick(theirs)).toFixed(digits)}`;
  const rates = of(({ ours, theirs }) => ours.perSecond / theirs.perSecond);
  const cpu = of(({ ours, theirs }) => theirs.cpuMicros / ours.cpuMicros);
  const load = `${both((round) => round.perSecond, 0)} requests/s, p99 ${both((round) => round.p99Ms, 1)} ms`;
  const busy = `generator ${(of(({ theirs }) => theirs.busy) * 100).toFixed(0)}% busy`;
  const quiet = `${clean.length} of ${all.length} rounds undisturbed${isDisturbed ? ', so by CPU time' : ''}`;
  return [
    {
      name: 'requests/s vs bare Fastify',
      // On a core of its own a busy server answers as often as its CPU time per request allows. On a core that others
      // use, requests/s tell how the scheduler shared it, so there the CPU time itself is compared.
      value: isDisturbed ? cpu : rates,
      unit: '×',
      target: { at: '≥', value: RATIO_MIN },
      note: `${load}, ${busy}, ${quiet}`,
    },
    {
      name: 'requests per CPU second vs bare Fastify',
      value: cpu,
      unit: '×',
      note: `${both((round) => round.cpuMicros, 1)} µs per request`,
    },
  ];
}
