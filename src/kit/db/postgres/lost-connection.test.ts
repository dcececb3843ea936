import pg from 'pg';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { postgresForTests } from '../../../../test/support/databases.ts';
import { isoMicros } from '../../base/clock.ts';
import { createEvents } from '../../events/index.ts';
import type { Database } from '../index.ts';

const url = inject('postgresUrl');

describe.runIf(url)('a PostgreSQL that ends all connections', () => {
  const test = postgresForTests(url ?? '');
  let here: Database;
  let operator: Database;
  beforeAll(async () => {
    here = await test.open();
    operator = await test.open();
  });

  /** All but the one that asks. */
  async function dropAll(): Promise<void> {
    const client = new pg.Client({ connectionString: (test.options as { url: string }).url });
    await client.connect();
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await client.end();
  }

  it('in the middle of a transaction makes it run again, and once only counts', async () => {
    let runs = 0;
    await here.transaction(async (tx) => {
      runs++;
      await tx
        .insertInto('signals')
        .values({ name: `run-${runs}`, version: 1 })
        .execute();
      if (runs === 1) await dropAll();
      await tx.insertInto('signals').values({ name: 'end', version: 1 }).execute();
    });
    expect(runs).toBe(2);
    const rows = await here.db.selectFrom('signals').select('name').execute();
    expect(rows.map(({ name }) => name).sort()).toEqual(['end', 'run-2']);
  });

  it('is not noticed by reads, however many connections the pool had', async () => {
    const read = () => here.db.selectFrom('signals').selectAll().execute();
    await Promise.all(Array.from({ length: 20 }, read));
    await dropAll();
    await expect(Promise.all(Array.from({ length: 60 }, read))).resolves.toHaveLength(60);
  });

  it('makes no tail miss an event, and the tail hears of new ones at once again', async () => {
    const options = { now: Date.now, pollMs: 60_000 };
    const [writer, reader] = [
      createEvents({ ...options, database: operator }),
      createEvents({ ...options, database: here }),
    ];
    const leaving = new AbortController();
    const tail = reader.tail('dropped', { signal: leaving.signal });
    const append = (n: number) =>
      operator.transaction((tx) => writer.append(tx, 'dropped', [{ type: 'n', data: { n, at: isoMicros() } }]));
    await append(1);
    expect((await tail.next()).value).toMatchObject({ seq: 1 });
    const next = tail.next();
    await dropAll();
    // Said while nobody listens: only the look after the new connection finds it, for the poller sleeps a minute.
    await append(2);
    expect((await next).value).toMatchObject({ seq: 2 });
    const last = tail.next();
    await append(3);
    expect((await last).value).toMatchObject({ seq: 3 });
    leaving.abort();
    await Promise.all([writer.stop(), reader.stop()]);
  });
});
