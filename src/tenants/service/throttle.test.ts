import { beforeAll, describe, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import type { Database } from '../../kit/db/index.ts';
import { ApiError } from '../../kit/http/index.ts';
import { blockOf, createThrottle, type Throttle } from './throttle.ts';

const WINDOW_MS = 15 * 60 * 1000;

onEachDatabase('the throttle of sign-ins', (test) => {
  let database: Database;
  let here: Throttle;
  let elsewhere: Throttle;
  const clock = { ms: 1_000_000 };
  beforeAll(async () => {
    const now = () => clock.ms;
    database = await test.open();
    here = createThrottle({ database, now });
    elsewhere = createThrottle({ database: await test.open(), now });
  });

  /** Seconds to wait, 0 when the attempt may go on. */
  const attempt = async (throttle: Throttle, email: string, address: string): Promise<number> => {
    try {
      await throttle.take(email, address);
      return 0;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429) throw error;
      return Number(error.headers['retry-after']);
    }
  };

  it('allows ten attempts per account in 15 minutes, from all addresses and over all processes', async () => {
    for (let i = 0; i < 10; i++)
      expect(
        await attempt(i % 2 ? here : elsewhere, i % 2 ? 'Ann@example.test' : 'ann@example.test ', `10.0.0.${i}`),
      ).toBe(0);
    clock.ms += 60_000;
    expect(await attempt(here, 'ann@example.test', '10.0.1.1')).toBe(14 * 60);
    expect(await attempt(elsewhere, 'ann@example.test', '10.0.1.2')).toBe(14 * 60);
    expect(await attempt(here, 'bo@example.test', '10.0.1.1')).toBe(0);
    clock.ms += WINDOW_MS - 60_000;
    expect(await attempt(here, 'ann@example.test', '10.0.1.1')).toBe(0);
  });

  it('allows fifty attempts per address for all accounts, with one count per IPv6 network', async () => {
    clock.ms += WINDOW_MS;
    for (let i = 0; i < 50; i++) expect(await attempt(here, `${i}@example.test`, `2001:db8:1:2::${i + 1}`)).toBe(0);
    expect(await attempt(here, 'more@example.test', '2001:db8:1:2:ffff::1')).toBe(900);
    expect(await attempt(here, 'more@example.test', '2001:db8:1:3::1')).toBe(0);
  });

  it('counts concurrent attempts one by one', async () => {
    clock.ms += WINDOW_MS;
    // Two handles of one process wait for each other's lock on a SQLite file, which only one process has open anyway.
    const other = test.kind === 'sqlite' ? here : elsewhere;
    const waits = await Promise.all(
      Array.from({ length: 30 }, (_, i) => attempt(i % 2 ? here : other, 'cy@example.test', '10.0.2.1')),
    );
    expect(waits.filter((seconds) => seconds === 0)).toHaveLength(10);
  });

  it('resets the account after a successful sign-in, and takes the attempt off the address', async () => {
    clock.ms += WINDOW_MS;
    for (let i = 0; i < 60; i++) {
      expect(await attempt(here, 'dan@example.test', '10.0.3.1')).toBe(0);
      await database.transaction((tx) => here.giveBack(tx, 'dan@example.test', '10.0.3.1'));
    }
  });

  it('prunes ended windows', async () => {
    clock.ms += WINDOW_MS;
    await attempt(here, 'ed@example.test', '10.0.4.1');
    await here.prune();
    expect(await database.db.selectFrom('sign_in_attempts').selectAll().execute()).toHaveLength(2);
    clock.ms += WINDOW_MS;
    await here.prune();
    expect(await database.db.selectFrom('sign_in_attempts').selectAll().execute()).toEqual([]);
  });
});

describe('the block of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('%s is in %s', (address, block) => expect(blockOf(address)).toBe(block));
});
