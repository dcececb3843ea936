import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Benchmark, Figure } from '../benchmark.ts';
import { type Child, inTemporaryDir, type StartChild, withChildren } from '../children.ts';
import type { Target } from '../processes/connection.ts';
import type { Load } from '../processes/generate-load.ts';
import { median } from '../statistics.ts';

const script = (name: string) => new URL(`../processes/${name}.ts`, import.meta.url);
const PATH = '/v1/chat/completions';
const DIALECT_PATH = '/openai/v1/chat/completions';
const DIALECT_RATIO_MAX = 1.15;
const STORED_RATIO_MAX = 1;
const STORED_WARM = 4000;
const CHUNKS_PER_STREAM = 200;
const CONNECTIONS = { whole: 32, stream: 50 };
// Short alternating bursts: a longer disturbance then affects both. Not so short that a burst misses the ledger's
// writes (one per thousand chats), which a median would leave out.
const BURST_MS = { whole: 500, stream: 400 };
const ROUNDS = { whole: 20, stream: 16 };
const PAUSE_MS = 20;
/** Usage is written within a second. */
const SETTLE_MS = 1200;
// Our path is fully compiled after some forty thousand requests; the relay needs fewer.
const WARM = { whole: 40_000, stream: 1000 };
const WARM_BURST_MS = 500;
const WARM_BURSTS_MAX = 25;
const CPU_MICROS_MAX = 150;
const CPU_RATIO_MAX = 2.2;
const CHUNKS_PER_SECOND_MIN = 100_000;
const CHUNK_RATIO_MIN = 0.4;

type Kind = keyof typeof CONNECTIONS;
type Server = { child: Child; target: Target };
type Servers = { ours: Server; relay: Server };
type Round = Load & { cpuMicrosBefore: number };
type Pair = { ours: Round; relay: Round };
/** CPU time per request, round by round. */
type Measured = { rounds: Pair[]; cpuMicros: { ours: number[]; relay: number[] } };

/** A request body of about 1 KiB, as a chat is. */
const bodyOf = (kind: Kind) =>
  JSON.stringify({
    model: 'bench',
    messages: [{ role: 'user', content: 'A question. '.repeat(75) }],
    ...(kind === 'stream' ? { stream: true } : {}),
  });

export const gateway: Benchmark = {
  name: 'gateway',
  summary: 'a 1 KiB chat and streams of 200 chunks through the whole platform, against a bare relay on the same core',
  run: ({ quick, profileDir, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const generator = start(script('generate-load'), { role: 'load', urgent: true });
        const { ours, relay } = await startServers(start, directory, profileDir);
        const figures: Figure[] = [];
        for (const kind of ['whole', 'stream'] as const) {
          progress(`gateway: ${kind}, warming up`);
          for (const server of [ours, relay]) await warm(generator, server, kind, quick ? 0.1 : 1);
          const rounds: Pair[] = [];
          for (let i = 0; i < (quick ? 3 : ROUNDS[kind]); i++) {
            progress(`gateway: ${kind}, round ${i + 1}`);
            rounds.push(await measurePair(generator, { ours, relay }, kind, i % 2 === 1));
          }
          await delay(SETTLE_MS);
          const cpuMicros = {
            ours: cpuOf(
              rounds.map((pair) => pair.ours),
              await ours.child.ask('cpuMicros'),
            ),
            relay: cpuOf(
              rounds.map((pair) => pair.relay),
              await relay.child.ask('cpuMicros'),
            ),
          };
          figures.push(...(kind === 'whole' ? wholeFigures : streamFigures)({ rounds, cpuMicros }));
          progress(`gateway: ${kind} in the OpenAI dialect`);
          figures.push(await compare(generator, ours, dialectOf(kind), quick));
        }
        progress('gateway: stored responses');
        figures.push(await compare(generator, ours, stored, quick));
        if (profileDir) await ours.child.end('SIGTERM', 60_000);
        return figures;
      }),
    ),
};

type Asked = { path: string; body: string };
type Comparison = { native: Asked; other: Asked; kind: Kind; name: string; target: number };

const TURN = 'A question in a few words.';
const dialectOf = (kind: Kind): Comparison => ({
  native: { path: PATH, body: bodyOf(kind) },
  other: { path: DIALECT_PATH, body: bodyOf(kind) },
  kind,
  name: `CPU per ${kind === 'whole' ? 'chat' : 'stream'} in the OpenAI dialect vs our own`,
  target: DIALECT_RATIO_MAX,
});
const stored: Comparison = {
  native: { path: '/v1/conversations', body: JSON.stringify({ model: 'bench', inputs: TURN }) },
  other: { path: '/openai/v1/responses', body: JSON.stringify({ model: 'bench', input: TURN }) },
  kind: 'whole',
  name: 'CPU per stored response vs a conversation turn',
  target: STORED_RATIO_MAX,
};

/** The same server and core, asked in turns by both paths. */
async function compare(
  generator: Child,
  { child, target }: Server,
  asked: Comparison,
  quick: boolean,
): Promise<Figure> {
  const { kind, name } = asked;
  const cpuOfBurst = async ({ path, body }: Asked) => {
    const before = await child.ask<number>('cpuMicros');
    await delay(PAUSE_MS);
    const settings = { connections: CONNECTIONS[kind], durationMs: BURST_MS[kind] };
    const { requests } = await generator.ask<Load>('closedLoop', { target: { ...target, path, body }, ...settings });
    return { requests, micros: ((await child.ask<number>('cpuMicros')) - before) / requests };
  };
  // Stored turns are slower, and compiled after fewer of them.
  const wanted = (asked === stored ? STORED_WARM : WARM[kind]) * (quick ? 0.1 : 1);
  for (const one of asked === stored ? [asked.native, asked.other] : [asked.other])
    for (let i = 0, requests = 0; i < WARM_BURSTS_MAX && requests < wanted; i++)
      requests += (await cpuOfBurst(one)).requests;
  const pairs: { native: number; other: number }[] = [];
  for (let i = 0; i < (quick ? 3 : ROUNDS[kind]); i++) {
    const [first, second] = i % 2 === 0 ? [asked.native, asked.other] : [asked.other, asked.native];
    const [one, two] = [(await cpuOfBurst(first)).micros, (await cpuOfBurst(second)).micros];
    pairs.push(i % 2 === 0 ? { native: one, other: two } : { native: two, other: one });
  }
  return {
    name,
    value: median(pairs.map(({ native, other }) => other / native)),
    unit: '×',
    target: { at: '≤', value: asked.target },
    note: `${median(pairs.map(({ other }) => other)).toFixed(0)} vs ${median(pairs.map(({ native }) => native)).toFixed(0)} µs`,
  };
}

async function startServers(start: StartChild, directory: string, profileDir: string | undefined): Promise<Servers> {
  const upstream = start(script('serve-upstream'), { role: 'load', urgent: true });
  const { port: upstreamPort } = await upstream.ask<{ port: number }>('address');
  const config = join(directory, 'tramontane.yaml');
  writeFileSync(config, `models:\n  - id: bench\n    engine: upstream\n    url: http://127.0.0.1:${upstreamPort}/v1\n`);
  const platform = start(script('serve-platform'), {
    role: 'server',
    urgent: true,
    env: { TRAMONTANE_DATA_DIR: join(directory, 'data'), TRAMONTANE_CONFIG: config },
    nodeArgs: profileDir ? ['--cpu-prof', '--cpu-prof-interval=200', `--cpu-prof-dir=${profileDir}`] : [],
  });
  const relay = start(script('serve-relay'), { role: 'server', urgent: true });
  const { port, key } = await platform.ask<{ port: number; key: string }>('address');
  const { port: relayPort } = await relay.ask<{ port: number }>('relayTo', upstreamPort);
  return {
    ours: { child: platform, target: { port, path: PATH, key } },
    relay: { child: relay, target: { port: relayPort, path: PATH } },
  };
}

async function warm(generator: Child, server: Server, kind: Kind, share: number): Promise<void> {
  let requests = 0;
  for (let i = 0; i < WARM_BURSTS_MAX && requests < WARM[kind] * share; i++)
    requests += (await load(generator, server, kind, WARM_BURST_MS)).requests;
}

async function measurePair(generator: Child, servers: Servers, kind: Kind, relayFirst: boolean): Promise<Pair> {
  const measure = async (server: Server) => ({
    // Read before each burst, so that work between two bursts, such as writing the ledger, counts as well.
    cpuMicrosBefore: await server.child.ask<number>('cpuMicros'),
    ...(await load(generator, server, kind, BURST_MS[kind])),
  });
  if (!relayFirst) return { ours: await measure(servers.ours), relay: await measure(servers.relay) };
  const relay = await measure(servers.relay);
  return { relay, ours: await measure(servers.ours) };
}

async function load(generator: Child, { target }: Server, kind: Kind, durationMs: number): Promise<Load> {
  await delay(PAUSE_MS);
  return generator.ask<Load>('closedLoop', {
    target: { ...target, body: bodyOf(kind) },
    connections: CONNECTIONS[kind],
    durationMs,
  });
}

/** CPU time per request from each burst to the next. */
function cpuOf(rounds: Round[], cpuMicrosAtEnd: number): number[] {
  return rounds.map(({ cpuMicrosBefore, requests }, i) => {
    const next = rounds[i + 1]?.cpuMicrosBefore ?? cpuMicrosAtEnd;
    return (next - cpuMicrosBefore) / requests;
  });
}

function wholeFigures({ rounds, cpuMicros }: Measured): Figure[] {
  const cpu = median(cpuMicros.ours);
  const bare = median(cpuMicros.relay);
  const rate = median(rounds.map(({ ours }) => ours.perSecond));
  return [
    {
      name: 'CPU per 1 KiB chat',
      value: cpu,
      unit: 'µs',
      target: { at: '≤', value: CPU_MICROS_MAX },
      note: `${rate.toFixed(0)} requests/s`,
    },
    {
      name: 'CPU per chat vs bare relay',
      value: median(cpuMicros.ours.map((micros, i) => micros / (cpuMicros.relay[i] ?? Number.NaN))),
      unit: '×',
      target: { at: '≤', value: CPU_RATIO_MAX },
      note: `${cpu.toFixed(0)} vs ${bare.toFixed(0)} µs`,
    },
  ];
}

function streamFigures({ rounds: pairs, cpuMicros }: Measured): Figure[] {
  const chunks = (load: Load) => load.perSecond * CHUNKS_PER_STREAM;
  const bare = median(pairs.map(({ relay }) => chunks(relay)));
  return [
    {
      name: 'chunks/s in 50 streams',
      value: median(pairs.map(({ ours }) => chunks(ours))),
      unit: '/s',
      target: { at: '≥', value: CHUNKS_PER_SECOND_MIN },
      note: `${(median(cpuMicros.ours) / CHUNKS_PER_STREAM).toFixed(1)} µs CPU per chunk`,
    },
    {
      name: 'chunks/s vs bare relay',
      value: median(pairs.map(({ ours, relay }) => ours.perSecond / relay.perSecond)),
      unit: '×',
      target: { at: '≥', value: CHUNK_RATIO_MIN },
      note: `relay ${bare.toFixed(0)}/s`,
    },
  ];
}
