import { setTimeout as delay } from 'node:timers/promises';
import type { Figure } from './benchmark.ts';
import type { Child } from './children.ts';
import type { Target } from './processes/connection.ts';
import type { Load } from './processes/generate-load.ts';
import { median } from './statistics.ts';

const CONNECTIONS = 32;
// Short bursts with pauses: no other process gets the core during a burst.
const BURST_MS = 300;
const PAUSE_MS = 500;
const WARM_ROUNDS = 5;
/** A server that had less of its core than this was disturbed by another process. */
const CPU_SHARE_MIN = 0.75;
const CLEAN_PAIRS_MIN = 3;

export type Server = { child: Child; target: Target };
type Round = Load & { /** Per request. */ cpuMicros: number; cpuShare: number };
type Pair = { ours: Round; theirs: Round };

/** Measures the maximum throughput of each server, in turns on one core. */
export async function compareServers(options: {
  generator: Child;
  ours: Server;
  theirs: Server;
  rounds: number;
  progress: (round: number) => void;
}): Promise<Pair[]> {
  const { generator, ours, theirs, rounds, progress } = options;
  const measure = ({ child, target }: Server) => measureRound(generator, child, target);
  for (let i = 0; i < WARM_ROUNDS; i++) for (const server of [ours, theirs]) await measure(server);
  const pairs: Pair[] = [];
  while (pairs.filter(isClean).length < rounds && pairs.length < rounds * 3) {
    progress(pairs.length + 1);
    // The order alternates, so that a machine that slows down or speeds up favours neither server.
    if (pairs.length % 2 === 0) pairs.push({ ours: await measure(ours), theirs: await measure(theirs) });
    else {
      const first = await measure(theirs);
      pairs.push({ theirs: first, ours: await measure(ours) });
    }
  }
  return pairs;
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

export function figuresOf(all: Pair[], what: string, ratioMin: number): Figure[] {
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
      name: `${what}requests/s vs bare Fastify`,
      // On a core of its own, throughput follows from the CPU time per request. On a shared core, requests/s depend on
      // the scheduler, so there the CPU time itself is compared.
      value: isDisturbed ? cpu : rates,
      unit: '×',
      target: { at: '≥', value: ratioMin },
      note: `${load}, ${busy}, ${quiet}`,
    },
    {
      name: `${what}requests per CPU second vs bare Fastify`,
      value: cpu,
      unit: '×',
      note: `${both((round) => round.cpuMicros, 1)} µs per request`,
    },
  ];
}
