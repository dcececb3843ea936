import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { findPrograms, startPostgres } from '../../../test/support/postgres.ts';
import type { Benchmark, BenchmarkOptions, Figure } from '../benchmark.ts';
import { type Child, inTemporaryDir, type StartChild, withChildren } from '../children.ts';
import { readAges } from '../read-ages.ts';
import { requestAll } from '../request-all.ts';
import { median, percentile } from '../statistics.ts';

const SERVE_PLATFORM = new URL('../processes/serve-platform.ts', import.meta.url);
const HOLD_STREAMS = new URL('../processes/hold-streams.ts', import.meta.url);
const WORK = new URL('../processes/work-workflows.ts', import.meta.url);
const START = new URL('../processes/start-executions.ts', import.meta.url);
const KEY = 'the-key-of-the-cluster-benchmark-0123456789';
const SERVERS = 3;
const ROUNDS = 3;
/** Far below their capacity: three busy processes and a database on two cores would measure the CPU caches. */
const PER_SECOND = 100;
const CPU_RATIO_MAX = 1.15;
const FAN_OUT_P99_MS = 50;
const EXECUTIONS_AT_ONCE = 96;
const EXECUTIONS_MIN = 400;
const WAL_KIB_MAX = 10;
const COMMITS_MAX = 3;
/** Spans follow within a second: those of all executions that are counted, and of no others. */
const SPANS_WRITTEN_MS = 2000;

type Server = { child: Child; port: number };

export const cluster: Benchmark = {
  name: 'cluster',
  summary:
    'three servers on one PostgreSQL: CPU per request, events from server to server, what a stream and an execution cost',
  async run(options) {
    const bin = findPrograms();
    if (!bin) throw new Error("This benchmark starts a PostgreSQL: install Debian's package postgresql.");
    const postgres = await startPostgres(bin);
    try {
      return await inTemporaryDir((directory) =>
        withChildren(directory, (start) => measure(options, start, directory, postgres.url)),
      );
    } finally {
      await postgres.stop();
    }
  },
};

async function measure(
  { quick, progress }: BenchmarkOptions,
  start: StartChild,
  directory: string,
  url: string,
): Promise<Figure[]> {
  const env = {
    TRAMONTANE_DATA_DIR: join(directory, 'data'),
    TRAMONTANE_DATABASE_URL: url,
    TRAMONTANE_BOOTSTRAP_API_KEY: KEY,
  };
  const servers: Server[] = [];
  const serve = async () => {
    const child = start(SERVE_PLATFORM, { role: 'free', env, nodeArgs: ['--expose-gc'] });
    servers.push({ child, port: (await child.ask<{ port: number }>('address')).port });
  };
  for (let n = 0; n < SERVERS; n++) await serve();
  const [first] = servers as [Server];
  const prompt = { name: 'p', definition: { content: 'Hi {{who}}', variables: [{ name: 'who' }] }, aliases: ['live'] };
  await requestAll([first.port], KEY, [{ path: '/v2/prompts', body: prompt }], PER_SECOND);

  progress('one server and three, in turns');
  // The same load on each server, whether it is alone or one of three.
  const requests = quick ? 100 : 600;
  // Warms up each server before it is measured.
  await cpuPerRequest(servers, 2 * requests * SERVERS);
  const alone: number[] = [];
  const together: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await cpuPerRequest([servers[round % SERVERS] ?? first], requests));
    together.push(await cpuPerRequest(servers, requests * SERVERS));
  }

  progress('events from one server to readers on the others');
  const agesOf = (count: number) =>
    readAges({
      ports: servers.slice(1).map(({ port }) => port),
      key: KEY,
      streams: quick ? 2 : 20,
      readers: 5,
      append: (stream) => first.child.ask('append', { stream, count, paceMs: 20 }),
    });
  // The first ones pay for database connections and compilation; they are reported separately.
  const firstAges = await agesOf(5);
  const ages = await agesOf(quick ? 10 : 40);

  progress('open streams');
  const streams = quick ? 200 : 2000;
  const perStream = await memoryPerStream(first, start(HOLD_STREAMS, { role: 'free' }), streams);

  progress('executions');
  const ports = servers.map(({ port }) => port);
  const cost = await costOfExecutions(start, url, ports, quick ? 30 : 1500);
  return [
    {
      name: 'CPU per request, three servers against one',
      value: median(together) / median(alone),
      unit: '×',
      target: { at: '≤', value: CPU_RATIO_MAX },
      note: `${median(together).toFixed(0)} vs ${median(alone).toFixed(0)} µs at ${PER_SECOND} requests a second to each: reads of a prompt by alias, one in five writes a version`,
    },
    {
      name: 'an event from one server to a reader on another, p99',
      value: percentile(ages, 0.99),
      unit: 'ms',
      target: { at: '<', value: FAN_OUT_P99_MS },
      note: `median ${median(ages).toFixed(1)} ms over ${ages.length} events, the commit included; p99 of a server's first ones ${percentile(firstAges, 0.99).toFixed(0)} ms`,
    },
    { name: `memory of one of ${streams} open streams`, value: perStream / 1024, unit: 'KiB' },
    ...cost,
  ];
}

/** Sum over all servers, in microseconds. */
async function cpuPerRequest(servers: Server[], count: number): Promise<number> {
  const cpu = async () => (await Promise.all(servers.map(({ child }) => child.ask<number>('cpuMicros')))).reduce(sum);
  const before = await cpu();
  const calls = Array.from({ length: count }, (_, n) =>
    n % 5 === 4
      ? {
          path: '/v2/prompts/p/versions',
          body: { definition: { content: `${n} ${Math.random()}` }, aliases: ['live'] },
        }
      : { path: '/v2/prompts/p?alias=live' },
  );
  await requestAll(
    servers.map(({ port }) => port),
    KEY,
    calls,
    PER_SECOND,
  );
  return ((await cpu()) - before) / count;
}

const sum = (a: number, b: number): number => a + b;

async function memoryPerStream({ child, port }: Server, holder: Child, count: number): Promise<number> {
  const resident = async () => {
    await child.ask('settle');
    return (await child.ask<NodeJS.MemoryUsage>('memory')).rss;
  };
  const before = await resident();
  await holder.ask('open', { port, key: KEY, count });
  const after = await resident();
  await holder.ask('close');
  return (after - before) / count;
}

/**
 * How much one execution of three steps writes to the log of PostgreSQL, and how many notifications its servers
 * exchange.
 */
async function costOfExecutions(start: StartChild, url: string, ports: number[], count: number): Promise<Figure[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let notifications = 0;
  let characters = 0;
  client.on('notification', ({ payload }) => {
    notifications++;
    characters += payload?.length ?? 0;
  });
  await client.query('listen tramontane');
  const read = async () => {
    const text = `select pg_current_wal_lsn() - '0/0'::pg_lsn as wal, xact_commit as commits,
      pg_database_size(current_database()) as kept from pg_stat_database where datname = current_database()`;
    const [row] = (await client.query<{ wal: string; commits: string; kept: string }>(text)).rows;
    return { wal: Number(row?.wal), commits: Number(row?.commits), kept: Number(row?.kept) };
  };
  const worker = start(WORK, { role: 'free' });
  for (const port of ports) await worker.ask('start', { port, key: KEY });
  const clients = start(START, { role: 'free' });
  const load = (of: number) =>
    Promise.all(
      ports.map((port) =>
        clients.ask('start', {
          ...{ port, key: KEY, workflow: 'three-steps', waits: true },
          concurrency: Math.ceil(EXECUTIONS_AT_ONCE / ports.length),
          count: Math.ceil(of / ports.length),
        }),
      ),
    );
  await load(count / 5);
  await delay(SPANS_WRITTEN_MS);
  [notifications, characters] = [0, 0];
  const before = await read();
  const begun = performance.now();
  await load(count);
  const seconds = (performance.now() - begun) / 1000;
  await delay(SPANS_WRITTEN_MS);
  const after = await read();
  await client.end();
  return [
    {
      name: 'executions of three steps',
      value: count / seconds,
      unit: '/s',
      target: { at: '≥', value: EXECUTIONS_MIN },
      note: `three servers, a worker at each, ${EXECUTIONS_AT_ONCE} at a time`,
    },
    {
      name: 'WAL of an execution',
      value: (after.wal - before.wal) / count / 1024,
      unit: 'KiB',
      target: { at: '≤', value: WAL_KIB_MAX },
    },
    { name: 'growth of the database by an execution', value: (after.kept - before.kept) / count / 1024, unit: 'KiB' },
    {
      name: 'commits of an execution',
      value: (after.commits - before.commits) / count,
      unit: '',
      target: { at: '≤', value: COMMITS_MAX },
    },
    {
      name: 'notifications of an execution',
      value: notifications / count,
      unit: '',
      note: `${(characters / count).toFixed(0)} characters`,
    },
  ];
}
