import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { countStatements } from '../../../test/support/statements.ts';
import { createLooks, type Database, lookForEach } from './index.ts';

const EVERY_MS = 5;
const versionOf = lookForEach(sql`(select version from signals where name = look.key)`);
const countOf = lookForEach(sql`(select count(*) from signals where name = look.key)`);

onEachDatabase('a look', (test) => {
  let here: Database;
  let elsewhere: Database;
  beforeAll(async () => {
    here = await test.open();
    elsewhere = await test.open();
  });
  afterAll(() => Promise.all([here.close(), elsewhere.close()]));

  const write = (name: string, version: number) =>
    elsewhere.db
      .insertInto('signals')
      .values({ name, version })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ version }))
      .execute();

  it('finds what another process wrote, for every subject and key, and nothing where there is nothing', async () => {
    const looks = createLooks({ ...here, version: () => undefined, everyMs: EVERY_MS });
    const seen: Record<string, number | undefined> = {};
    for (const key of ['a', "b's", 'missing'])
      looks.follow(versionOf, key, () => (value) => {
        seen[key] = value;
      });
    looks.follow(countOf, 'a', () => (value) => {
      seen.count = value;
    });
    await write('a', 3);
    await write("b's", 4);
    await expect.poll(() => seen).toEqual({ a: 3, "b's": 4, missing: undefined, count: 1 });
    await looks.close();
  });

  it('is one statement, whatever is followed, and one that is not followed any more costs none', async () => {
    const looks = createLooks({ ...here, version: () => undefined, everyMs: EVERY_MS });
    let looked = 0;
    const ends = ['a', 'b', 'c'].flatMap((key) =>
      [versionOf, countOf].map((subject) => looks.follow(subject, key, () => () => void looked++)),
    );
    const statements = countStatements();
    await expect.poll(() => looked).toBeGreaterThan(30);
    for (const end of ends) end();
    const { count } = statements.stop();
    expect(count).toBeGreaterThanOrEqual(Math.floor(looked / 6));
    expect(count).toBeLessThanOrEqual(looked / 6 + 1);
    await looks.close();
  });

  it('that fails is repeated', async () => {
    let isAway = true;
    const db = { getExecutor: () => (isAway ? undefined : here.db.getExecutor()) } as unknown as Database['db'];
    const looks = createLooks({ kind: here.kind, db, version: () => undefined, everyMs: EVERY_MS });
    let begun = 0;
    const heard = new Promise<void>((resolve) =>
      looks.follow(versionOf, 'a', () => {
        if (++begun === 3) isAway = false;
        return () => resolve();
      }),
    );
    await heard;
    expect(begun).toBeGreaterThanOrEqual(3);
    await looks.close();
  });

  it('tells who begins to follow later, and goes on telling the others when one ends', async () => {
    const looks = createLooks({ ...here, version: () => undefined, everyMs: EVERY_MS });
    const seen: Record<string, (number | undefined)[]> = { first: [], later: [], count: [] };
    const follow = (subject: typeof versionOf, key: string, name: string) =>
      looks.follow(subject, key, () => (value) => void seen[name]?.push(value));
    await write('first', 1);
    await write('later', 2);
    const ends = [follow(versionOf, 'first', 'first')];
    await expect.poll(() => seen.first?.at(-1)).toBe(1);
    ends.push(follow(countOf, 'first', 'count'), follow(versionOf, 'later', 'later'));
    await expect.poll(() => [seen.count?.at(-1), seen.later?.at(-1)]).toEqual([1, 2]);
    ends[0]?.();
    const told = seen.first?.length;
    await write('later', 3);
    await expect.poll(() => seen.later?.at(-1)).toBe(3);
    expect(seen.count?.at(-1)).toBe(1);
    expect(seen.first?.length).toBeLessThanOrEqual((told ?? 0) + 1);
    await looks.close();
  });

  it.runIf(test.kind === 'postgres')('goes on through the pool when the connection that listens is lost', async () => {
    const values: (number | undefined)[] = [];
    const stop = here.looks.follow(versionOf, 'lost', () => (value) => void values.push(value));
    await expect.poll(() => values.length, { timeout: 5000 }).toBeGreaterThan(0);
    await here.wakeups.ready();
    const name = here.wakeups.hearsAs();
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${name}`.execute(
      elsewhere.db,
    );
    await write('lost', 7);
    await expect.poll(() => values.at(-1), { timeout: 20_000 }).toBe(7);
    await expect.poll(() => here.wakeups.hearsAs(), { timeout: 20_000 }).not.toBe(name);
    await write('lost', 8);
    await expect.poll(() => values.at(-1), { timeout: 20_000 }).toBe(8);
    stop();
  });

  it.runIf(test.kind === 'sqlite')(
    'reads no table on SQLite while nobody writes, and all of it after a write',
    async () => {
      const values: (number | undefined)[] = [];
      const stop = here.looks.follow(versionOf, 'quiet', () => (value) => void values.push(value));
      await expect.poll(() => values.length, { timeout: 5000 }).toBe(1);
      const statements = countStatements();
      await expect.poll(() => values.length, { timeout: 5000 }).toBe(3);
      expect(statements.stop().texts).toEqual(['pragma data_version', 'pragma data_version']);
      await write('quiet', 7);
      await expect.poll(() => values.at(-1), { timeout: 5000 }).toBe(7);
      stop();
    },
  );
});
