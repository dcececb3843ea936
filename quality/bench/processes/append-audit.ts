import { sql } from 'kysely';
import pg from 'pg';
import { migrations } from '../../../migrations/index.ts';
import { createAuditService } from '../../../src/audit/index.ts';
import { systemClock } from '../../../src/kit/base/clock.ts';
import { migrate, openDatabase } from '../../../src/kit/db/index.ts';
import { answer } from './answer.ts';

// Counts what a transaction with an audit entry waits for beyond one without. The hint to other servers is sent after
// the commit, for all changes of some milliseconds together, and nobody waits for it.
const [url = ''] = process.argv.slice(2);
const database = await openDatabase({ kind: 'postgres', url });
await migrate(database, migrations, '0.1.0', new Date().toISOString());
const audit = createAuditService({ database, now: systemClock });

let trips = 0;
const client = pg.Client.prototype as unknown as { query: (...given: unknown[]) => unknown };
const { query } = client;
client.query = function (this: unknown, ...given) {
  if (!String(given[0]).includes('pg_notify')) trips++;
  return query.apply(this, given);
};

async function tripsOf(count: number, hasEntry: boolean): Promise<number> {
  const before = trips;
  for (let i = 0; i < count; i++)
    await database.transaction(async (tx) => {
      // A transaction without any statement would send nothing at all.
      await sql`select 1`.execute(tx);
      if (!hasEntry) return;
      const actor = { type: 'OTHER', metadata: {} } as const;
      await audit.record(tx, { organization_id: 'bench', actor, event_type: 'prompt.create', target_type: 'PROMPT' });
    });
  return trips - before;
}

answer({
  async countTrips(count: number): Promise<number> {
    // The first entry of an organization makes its head.
    await tripsOf(1, true);
    return ((await tripsOf(count, true)) - (await tripsOf(count, false))) / count;
  },
});
