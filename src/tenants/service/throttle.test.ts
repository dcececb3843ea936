import { beforeAll, describe, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import type { Database } from '../../kit/db/index.ts';
import { ApiError } from '../../kit/http/index.ts';
import { networkOf, wideNetworkOf } from '../sign-in/network-of.ts';
import { createThrottle, type Throttle } from './throttle.ts';

const WINDOW_MS = 15 * 60 * 1000;
const MONTH_MS = 31 * 24 * 60 * 60 * 1000;

onEachDatabase('the throttle of sign-ins', (test) => {
  let database: Database;
  let here: Throttle;
  let elsewhere: Throttle;
  const clock = { ms: 1_000_000 };
  const waited: number[] = [];
  beforeAll(async () => {
    const now = () => clock.ms;
    database = await test.open();
    const wait = async (ms: number) => void waited.push(ms);
    here = createThrottle({ database, now, wait });
    elsewhere = createThrottle({ database: await test.open(), now });
  });

  /** Seconds to wait, 0 when the attempt may go on. */
  const attempt = async (throttle: Throttle, email: string, address: string, device?: string): Promise<number> => {
    try {
      await throttle.take({ email, address, device });
      return 0;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429) throw error;
      return Number(error.headers['retry-after']);
    }
  };
  const succeed = (email: string, address: string, device?: string) =>
    database.transaction((tx) => here.giveBack(tx, { email, address, device }));

  it('allows ten attempts per account from one network in 15 minutes, over all processes', async () => {
    for (let i = 0; i < 10; i++)
      expect(
        await attempt(i % 2 ? here : elsewhere, i % 2 ? 'Ann@example.test' : 'ann@example.test ', '10.0.0.1'),
      ).toBe(0);
    clock.ms += 60_000;
    expect(await attempt(here, 'ann@example.test', '10.0.0.1')).toBe(14 * 60);
    expect(await attempt(elsewhere, 'ann@example.test', '10.0.0.1')).toBe(14 * 60);
    expect(await attempt(here, 'bo@example.test', '10.0.0.1')).toBe(0);
    clock.ms += WINDOW_MS - 60_000;
    expect(await attempt(here, 'ann@example.test', '10.0.0.1')).toBe(0);
  });

  it('never refuses the owner of an account for what strangers do on other networks: it only slows', async () => {
    clock.ms += WINDOW_MS;
    waited.length = 0;
    await succeed('owner@example.test', '10.0.9.1');
    for (let i = 0; i < 150; i++) expect(await attempt(here, 'owner@example.test', `10.1.${i}.1`)).toBe(0);
    expect(waited).toHaveLength(100);
    expect([waited[0], waited.at(-1)]).toEqual([100, 5000]);
    waited.length = 0;
    expect(await attempt(here, 'owner@example.test', '10.0.9.1')).toBe(0);
    expect(waited).toEqual([]);
    expect(await attempt(here, 'owner@example.test', '10.0.9.2')).toBe(0);
    expect(waited).toEqual([5000]);
  });

  it('knows a browser behind an address from which strangers have used up all attempts', async () => {
    clock.ms += WINDOW_MS;
    for (let i = 0; i < 60; i++) await attempt(here, i % 2 ? 'cat@example.test' : `${i}@example.test`, '10.0.8.1');
    expect(await attempt(here, 'cat@example.test', '10.0.8.1')).toBeGreaterThan(0);
    for (let i = 0; i < 10; i++) expect(await attempt(here, 'cat@example.test', '10.0.8.1', 'laptop')).toBe(0);
    expect(await attempt(here, 'cat@example.test', '10.0.8.1', 'laptop')).toBeGreaterThan(0);
    expect(await attempt(here, 'cat@example.test', '10.0.8.1', 'phone')).toBe(0);
  });

  it('allows fifty attempts per address for all accounts, with one count per IPv6 network', async () => {
    clock.ms += WINDOW_MS;
    for (let i = 0; i < 50; i++) expect(await attempt(here, `${i}@example.test`, `2001:db8:1:2::${i + 1}`)).toBe(0);
    expect(await attempt(here, 'more@example.test', '2001:db8:1:2:ffff::1')).toBe(900);
    expect(await attempt(here, 'more@example.test', '2001:db8:1:3::1')).toBe(0);
    for (let i = 0; i < 149; i++) await attempt(here, `w${i}@example.test`, `2001:db8:1:${i + 16}::1`);
    expect(await attempt(here, 'more@example.test', '2001:db8:1:ffff::1')).toBe(900);
    expect(await attempt(here, 'more@example.test', '2001:db8:2::1')).toBe(0);
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
      await succeed('dan@example.test', '10.0.3.1');
    }
  });

  it('prunes ended windows', async () => {
    clock.ms += WINDOW_MS;
    await attempt(here, 'ed@example.test', '10.0.4.1');
    await here.prune();
    const left = await database.db.selectFrom('sign_in_attempts').select('bucket').execute();
    expect(left.filter(({ bucket }) => !bucket.startsWith('known:'))).toHaveLength(3);
    clock.ms += MONTH_MS;
    await here.prune();
    expect(await database.db.selectFrom('sign_in_attempts').selectAll().execute()).toEqual([]);
  });
});

describe('the network of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('%s is in %s', (address, block) => expect(networkOf(address)).toBe(block));
});

it('has a /48 only for IPv6', () => {
  expect(['2001:db8:1:2::1', '192.0.2.7', '::ffff:192.0.2.7'].map(wideNetworkOf)).toEqual([
    '2001:db8:1::/48',
    undefined,
    undefined,
  ]);
});
