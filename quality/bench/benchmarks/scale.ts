import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPrograms, startPostgres } from '../../../test/support/postgres.ts';
import type { Benchmark, BenchmarkOptions, Figure } from '../benchmark.ts';
import { type Child, inTemporaryDir, type StartChild, withChildren } from '../children.ts';
import { type Call, requestAll } from '../request-all.ts';
import { median } from '../statistics.ts';

const script = (name: string) => new URL(`../processes/${name}.ts`, import.meta.url);
const KEY = 'the-key-of-the-scale-benchmark-0123456789';
/** Where there are fewer cores than processes, throughput is told by CPU time: a core's worth of it divided by what a request takes. */
const PROCESSES = [1, 2, 4];
const SHARE_MIN = 0.9;
/** To each server: enough that its own clockwork costs nothing in comparison, and far from what the machine can take. */
const PER_SECOND = 150;
const REQUESTS = { full: 450, quick: 60 };
const ROUNDS = { full: 5, quick: 1 };
const CHAT = { model: 'bench', messages: [{ role: 'user', content: 'A question. '.repeat(75) }] };
const CALLS: Record<string, Call> = {
  chats: { path: '/v1/chat/completions', body: CHAT },
  'registry reads': { path: '/v2/prompts/p?alias=live' },
};

type Server = { child: Child; port: number };

export const scale: Benchmark = {
  name: 'scale',
  summary: 'chats and registry reads on 1, 2 and 4 server processes with one PostgreSQL: what a request costs of CPU',
  async run(options) {
    const bin = findPrograms();
    if (!bin) throw new Error("This benchmark starts a PostgreSQL: install Debian's package postgresql.");
    const postgres = await startPostgres(bin);
    try {
      return await inTemporaryDir((directory) =>
        withChildren(directory, async (start) => {
          const servers = await startServers(start, directory, postgres.url);
          return compare(servers, options);
        }),
      );
    } finally {
      await postgres.stop();
    }
  },
};

async function startServers(start: StartChild, directory: string, url: string): Promise<Server[]> {
  const upstream = start(script('serve-upstream'), { role: 'free' });
  const { port: upstreamPort } = await upstream.ask<{ port: number }>('address');
  const config = join(directory, 'tramontane.yaml');
  const address = `http://127.0.0.1:${upstreamPort}/v1`;
  writeFileSync(config, `models:\n  - id: bench\n    engine: upstream\n    url: ${address}\n`);
  const env = {
    TRAMONTANE_DATA_DIR: join(directory, 'data'),
    TRAMONTANE_CONFIG: config,
    TRAMONTANE_DATABASE_URL: url,
    TRAMONTANE_BOOTSTRAP_API_KEY: KEY,
  };
  const servers: Server[] = [];
  for (let n = 0; n < Math.max(...PROCESSES); n++) {
    const child = start(script('serve-platform'), { role: 'free', env });
    servers.push({ child, port: (await child.ask<{ port: number }>('address')).port });
  }
  const prompt = { name: 'p', definition: { content: 'Hi {{who}}', variables: [{ name: 'who' }] }, aliases: ['live'] };
  await requestAll([servers[0]?.port ?? 0], KEY, [{ path: '/v2/prompts', body: prompt }], PER_SECOND);
  return servers;
}

async function compare(servers: Server[], { quick, progress }: BenchmarkOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  const requests = quick ? REQUESTS.quick : REQUESTS.full;
  for (const [name, call] of Object.entries(CALLS)) {
    progress(`scale: ${name}, warming up`);
    await cpuPerRequest(servers, call, requests * 2);
    const seen = new Map<number, number[]>(PROCESSES.map((count) => [count, []]));
    for (let round = 0; round < (quick ? ROUNDS.quick : ROUNDS.full); round++)
      for (const count of round % 2 ? PROCESSES.toReversed() : PROCESSES) {
        progress(`scale: ${name}, round ${round + 1}, ${count} processes`);
        // Another one each time, because no two processes are compiled alike.
        const used = Array.from({ length: count }, (_, n) => servers[(round + n) % servers.length] as Server);
        seen.get(count)?.push(await cpuPerRequest(used, call, requests));
      }
    const [alone = 0, ...more] = PROCESSES.map((count) => median(seen.get(count) ?? []));
    figures.push(
      ...more.map((micros, index) => ({
        name: `${name}, ${PROCESSES[index + 1]} processes: of the throughput of as many alone`,
        value: alone / micros,
        unit: '×',
        target: { at: '≥' as const, value: SHARE_MIN },
        note: `${micros.toFixed(0)} vs ${alone.toFixed(0)} µs of CPU per request`,
      })),
    );
  }
  return figures;
}

/** Each server gets `requests` of them; the sum over all servers, in microseconds. */
async function cpuPerRequest(servers: Server[], call: Call, requests: number): Promise<number> {
  const cpu = async () => {
    const all = await Promise.all(servers.map(({ child }) => child.ask<number>('cpuMicros')));
    return all.reduce((sum, micros) => sum + micros, 0);
  };
  const before = await cpu();
  const calls = Array<Call>(requests * servers.length).fill(call);
  await requestAll(
    servers.map(({ port }) => port),
    KEY,
    calls,
    PER_SECOND,
  );
  return ((await cpu()) - before) / calls.length;
}
