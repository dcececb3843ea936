import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';

/** Some milliseconds on any machine. */
const slowQuery = sql`
  with recursive numbers(x) as (select 1 union all select x + 1 from numbers where x < 20000)
  select count(*) as count from numbers`;

/** How often the event loop served somebody else meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const next = () => {
    turns++;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  await work();
  isOver = true;
  return turns;
}

onEachDatabase('a long chain', (database) => {
  it('of reads lets others work in between', async () => {
    const { db, close } = await database.open();
    const turns = await turnsDuring(async () => {
      for (let n = 0; n < 40; n++) await slowQuery.execute(db);
    });
    expect(turns).toBeGreaterThan(3);
    await close();
  });

  it('of transactions lets others work in between', async () => {
    const handle = await database.open();
    const turns = await turnsDuring(() =>
      Promise.all(Array.from({ length: 40 }, () => handle.transaction((tx) => slowQuery.execute(tx)))),
    );
    expect(turns).toBeGreaterThan(3);
    await handle.close();
  });
});
