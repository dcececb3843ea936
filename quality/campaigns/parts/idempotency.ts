import { cleanUp } from '../../../test/support/cleanup.ts';
import { findPrograms, startPostgres } from '../../../test/support/postgres.ts';
import type { Benchmark, BenchmarkOptions, Figure } from '../../bench/benchmark.ts';
import { inTemporaryDir } from '../../bench/children.ts';
import { type Faults, runCampaign } from '../idempotency/campaign.ts';
import { keyedOperations } from '../idempotency/operations.ts';
import { startServers } from '../idempotency/servers.ts';

const SERVERS = 3;
/** Operations of the short form: a generic one, an upload, and both rooms that store the key themselves. */
const SHORT = [
  'prompts_create',
  'files_api_routes_upload_file',
  'agents_api_v1_conversations_append',
  'execute_workflow_registration_v1_workflows_registrations__workflow_registration_id__execute_post',
];

const WORDS: Record<keyof Faults, string> = {
  notOne: 'operations that made none or several',
  unequal: 'operations with unequal answers',
  reused: 'operations that took another body under the key',
  refusedSpent: 'operations whose key a refused request had spent',
  strangerTold: "operations that answered another organization's key",
  afterKill: 'operations that answered otherwise after kill -9',
  afterStop: 'operations that answered otherwise after a stop',
  inFlight: 'rounds of kill -9 in flight that lost or doubled',
};

export const idempotency: Benchmark = {
  name: 'idempotency',
  summary: 'every operation that honours Idempotency-Key, by many requests at once and across restarts',
  async run(options) {
    const { missing } = keyedOperations();
    const uncovered = zero('operations without a sample', missing);
    const onSqlite = await campaign('SQLite', options, 1);
    if (options.quick) return [uncovered, ...onSqlite];
    const bin = findPrograms();
    if (!bin) throw new Error("This part starts a PostgreSQL: install Debian's package postgresql.");
    const postgres = await startPostgres(bin);
    try {
      const onPostgres = await campaign('three servers on PostgreSQL', options, SERVERS, postgres.url);
      return [uncovered, ...onSqlite, ...onPostgres];
    } finally {
      await postgres.stop();
    }
  },
};

function campaign(
  where: string,
  { quick, progress }: BenchmarkOptions,
  count: number,
  databaseUrl?: string,
): Promise<Figure[]> {
  return inTemporaryDir(async (directory) => {
    try {
      const servers = await startServers(directory, count, databaseUrl);
      const { operations } = keyedOperations();
      const chosen = quick ? operations.filter(({ name }) => SHORT.includes(name)) : operations;
      const parallel = quick ? 20 : 100;
      const killRounds = quick ? 0 : chosen.length * 2;
      const faults = await runCampaign(servers, {
        operations: chosen,
        parallel,
        killRounds,
        progress: (text) => progress(`idempotency on ${where}: ${text}`),
      });
      const kinds = (Object.keys(WORDS) as (keyof Faults)[]).filter((kind) => killRounds > 0 || kind !== 'inFlight');
      return [
        { name: `${where}: operations, ${parallel} requests at once`, value: chosen.length, unit: '' },
        ...kinds.map((kind) => zero(`${where}: ${WORDS[kind]}`, faults[kind])),
      ];
    } finally {
      await cleanUp();
    }
  });
}

function zero(name: string, found: string[]): Figure {
  return { name, value: found.length, unit: '', target: { at: '≤', value: 0 }, note: found.join('\n    ') };
}
