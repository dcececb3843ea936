import { join } from 'node:path';
import { createPostgresDatabase } from '../../../test/support/databases.ts';
import { findPrograms, startPostgres } from '../../../test/support/postgres.ts';
import type { Benchmark, BenchmarkOptions, Figure } from '../benchmark.ts';
import { inTemporaryDir, type StartChild, withChildren } from '../children.ts';

const script = (name: string) => new URL(`../processes/${name}.ts`, import.meta.url);
const TRIPS_MAX = 1;
const REPEAT_MS_MAX = 1000;

export const changes: Benchmark = {
  name: 'changes',
  summary:
    'a request sent again after its answer was lost, and the round trips that an audit entry waits for on PostgreSQL',
  run: (options) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => [
        await measureRepeats(start, join(directory, 'data'), options),
        ...(await countTrips(start, options)),
      ]),
    ),
};

/** As after a crash between the work and its answer, which is undone in the database. */
async function measureRepeats(start: StartChild, dataDir: string, { quick, progress }: BenchmarkOptions) {
  const server = start(script('serve-platform'), { role: 'server', env: { TRAMONTANE_DATA_DIR: dataDir } });
  const { port, key } = await server.ask<{ port: number; key: string }>('address');
  const loser = start(script('lose-answers'), { role: 'load', args: [join(dataDir, 'tramontane.db')] });
  const times: number[] = [];
  for (let i = 0; i < (quick ? 2 : 10); i++) {
    progress(`changes: repeat ${i + 1}`);
    const send = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/v2/prompts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': `key-${i}` },
        body: JSON.stringify({ name: `prompt-${i}`, definition: { content: 'Say {{what}}' } }),
      });
      await response.text();
      return response.status;
    };
    const first = await send();
    if (first !== 200) throw new Error(`A prompt could not be created: ${first}`);
    await loser.ask('lose');
    const startedAt = performance.now();
    const repeated = await send();
    if (repeated !== 409) throw new Error(`A lost answer was repeated: ${repeated}`);
    times.push(performance.now() - startedAt);
  }
  return {
    name: 'a repeat under an Idempotency-Key whose answer was lost, longest',
    value: Math.max(...times),
    unit: 'ms',
    target: { at: '≤', value: REPEAT_MS_MAX },
  } satisfies Figure;
}

async function countTrips(start: StartChild, { quick, progress }: BenchmarkOptions): Promise<Figure[]> {
  const programs = findPrograms();
  if (!programs) throw new Error("This benchmark starts a PostgreSQL: install Debian's package postgresql.");
  progress('changes: audit entries');
  const postgres = await startPostgres(programs);
  try {
    const url = await createPostgresDatabase(postgres.url);
    const child = start(script('append-audit'), { role: 'load', args: [url] });
    const trips = await child.ask<number>('countTrips', quick ? 20 : 200);
    await child.end();
    return [
      {
        name: 'round trips of an audit entry on PostgreSQL',
        value: trips,
        unit: '',
        target: { at: '≤', value: TRIPS_MAX },
      },
    ];
  } finally {
    await postgres.stop();
  }
}
