import { join } from 'node:path';
import { findPrograms, startPostgres } from '../../../test/support/postgres.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { inTemporaryDir, type StartChild, withChildren } from '../children.ts';
import { median } from '../statistics.ts';

const script = (name: string) => new URL(`../processes/${name}.ts`, import.meta.url);
const CONCURRENCY = 50;
const LIMIT_MS = 120_000;

type Load = { count: number; concurrency: number };
type Loaded = { seconds: number; latencies: number[] };
type Peer = { name: string; note: string; load: (load: Load) => Promise<Loaded> };

export const workflowPeers: Benchmark = {
  name: 'workflow-peers',
  summary:
    'executions of three trivial steps: ours on both databases, DBOS, and Temporal’s development server, by turns',
  isPossible: () => findPrograms() !== undefined,
  async run({ quick, progress }) {
    const bin = findPrograms();
    if (!bin) throw new Error("This benchmark starts a PostgreSQL: install Debian's package postgresql.");
    const postgres = await startPostgres(bin);
    try {
      return await inTemporaryDir((directory) =>
        withChildren(directory, async (start) => {
          const peers = [
            await openOurs(start, 'ours on SQLite', { TRAMONTANE_DATA_DIR: join(directory, 'sqlite') }),
            await openOurs(start, 'ours on PostgreSQL', {
              TRAMONTANE_DATA_DIR: join(directory, 'postgres'),
              TRAMONTANE_DATABASE_URL: postgres.url,
            }),
            ...(await openDbos(start, postgres.url)),
            ...(await openTemporal(start)),
          ];
          const figures: Figure[] = [];
          for (const { name, note, load } of peers) {
            progress(`workflow-peers: ${name}`);
            await load({ count: quick ? 50 : 500, concurrency: CONCURRENCY });
            const busy = await load({ count: quick ? 100 : 1000, concurrency: CONCURRENCY });
            const calm = await load({ count: quick ? 10 : 100, concurrency: 1 });
            const perSecond = busy.latencies.length / busy.seconds;
            figures.push(
              { name: `${name}, ${CONCURRENCY} at a time`, value: perSecond, unit: '/s', note },
              { name: `${name}, start to result alone, p50`, value: median(calm.latencies), unit: 'ms' },
            );
          }
          return figures;
        }),
      );
    } finally {
      await postgres.stop();
    }
  },
};

async function openOurs(start: StartChild, name: string, env: Record<string, string>): Promise<Peer> {
  const server = start(script('serve-platform'), { role: 'free', env });
  const address = await server.ask<{ port: number; key: string }>('address');
  const worker = start(script('work-workflows'), { role: 'free' });
  await worker.ask('start', address);
  const clients = start(script('start-executions'), { role: 'free' });
  const load = (asked: Load) =>
    clients.ask<Loaded>('start', { ...address, workflow: 'three-steps', waits: true, ...asked }, LIMIT_MS);
  return { name, note: 'server, worker and clients are three processes', load };
}

async function openDbos(start: StartChild, url: string): Promise<Peer[]> {
  const folder = process.env.TRAMONTANE_TEST_DBOS;
  if (folder === undefined) return [];
  const program = start(script('peer-dbos'), { role: 'free' });
  await program.ask('start', { folder, url: url.replace(/\/[^/]*$/, '/dbos_bench') }, LIMIT_MS);
  const load = (asked: Load) => program.ask<Loaded>('load', asked, LIMIT_MS);
  return [{ name: 'DBOS on PostgreSQL', note: 'a library: one process, no API', load }];
}

async function openTemporal(start: StartChild): Promise<Peer[]> {
  const program = process.env.TRAMONTANE_TEST_TEMPORAL;
  if (!program) return [];
  const cluster = start(script('serve-temporal'), { role: 'free', env: { TRAMONTANE_TEST_TEMPORAL: program } });
  const { address } = await cluster.ask<{ address: string }>('address');
  const worker = start(script('peer-temporal'), { role: 'free' });
  await worker.ask('work', { address }, LIMIT_MS);
  const client = start(script('peer-temporal'), { role: 'free' });
  const load = (asked: Load) => client.ask<Loaded>('load', { address, ...asked }, LIMIT_MS);
  return [
    { name: 'Temporal, development server', note: 'in memory; server, worker and client are three processes', load },
  ];
}
