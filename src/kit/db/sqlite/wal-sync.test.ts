import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { temporaryDir } from '../../../../test/support/databases.ts';
import { StorageFailure } from '../../base/storage-failure.ts';
import { createWalSync, type WalSync } from './wal-sync.ts';

let wal: WalSync;
beforeEach(() => {
  const path = join(temporaryDir(), 'log');
  writeFileSync(path, 'written');
  wal = createWalSync(path, async () => undefined);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  wal.close();
});

it('what nobody waits for is on disk in a moment by itself', async () => {
  wal.wrote();
  const patient = wal.soon();
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(10);
  await patient;
});

it('what may wait for longer waits for no sync that is under way, and for nobody who is in less of a hurry', async () => {
  wal.wrote();
  const first = wal.durable();
  wal.wrote();
  const patient = wal.soon(1000);
  await first;
  expect(vi.getTimerCount()).toBe(1);
  wal.wrote();
  const sooner = wal.soon();
  vi.advanceTimersByTime(10);
  await Promise.all([patient, sooner]);
  expect(vi.getTimerCount()).toBe(0);
});

it('what a sync under way makes durable already waits for that one and for no timer', async () => {
  wal.wrote();
  const running = wal.durable();
  const others = vi.getTimerCount();
  const patient = wal.soon(1000);
  expect(vi.getTimerCount()).toBe(others);
  await Promise.all([running, patient]);
});

it('what waits is told when a sync for others has made it durable', async () => {
  wal.wrote();
  const first = wal.durable();
  wal.wrote();
  const patient = wal.soon(1000);
  await first;
  await wal.durable();
  await patient;
  expect(vi.getTimerCount()).toBe(0);
});

it('what nobody waits for shares the trip to the disk of whoever waits', async () => {
  const others = vi.getTimerCount();
  wal.wrote();
  const patient = wal.soon();
  wal.wrote();
  await wal.durable();
  // The clock stands still, so nothing else could have brought it there.
  await patient;
  expect(vi.getTimerCount()).toBe(others);
});

describe.runIf(process.platform === 'linux')('a log that cannot be synced', () => {
  // Linux syncs no device of this kind.
  const open = (rewrite: () => Promise<void>) => createWalSync('/dev/full', rewrite);

  it('acknowledges nothing, and says first that nobody knows and then that nothing was begun', async () => {
    const failing = open(async () => undefined);
    failing.wrote();
    const [first, second] = await Promise.allSettled([failing.durable(), failing.soon()]);
    expect(first).toMatchObject({ status: 'rejected', reason: { problem: 'unknown' } });
    expect(second).toMatchObject({ status: 'rejected' });
    expect(failing.isInDoubt()).toBe(true);
    await expect(failing.mend()).rejects.toMatchObject({ problem: 'failing' });
    await expect(failing.durable()).rejects.toBeInstanceOf(StorageFailure);
    failing.close();
  });

  it('is not written again at every call', async () => {
    let rewrites = 0;
    const failing = open(async () => {
      rewrites++;
    });
    failing.wrote();
    await failing.durable().catch(() => undefined);
    for (let n = 0; n < 10; n++) await failing.mend().catch(() => undefined);
    expect(rewrites).toBe(1);
    failing.close();
  });
});

it('a log that somebody else distrusts is written again and synced before anything is acknowledged', async () => {
  const path = join(temporaryDir(), 'log');
  writeFileSync(path, 'written');
  let rewrites = 0;
  const doubted = createWalSync(path, async () => {
    rewrites++;
  });
  doubted.wrote();
  const patient = doubted.soon();
  doubted.distrust(new Error('seen by the checkpoint'));
  await Promise.all([doubted.durable(), patient]);
  expect(rewrites).toBe(1);
  expect(doubted.isInDoubt()).toBe(false);
  doubted.close();
});
