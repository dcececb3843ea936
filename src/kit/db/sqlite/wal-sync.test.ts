import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { temporaryDir } from '../../../../test/support/databases.ts';
import { createWalSync, type WalSync } from './wal-sync.ts';

let wal: WalSync;
beforeEach(() => {
  const path = join(temporaryDir(), 'log');
  writeFileSync(path, 'written');
  wal = createWalSync(path);
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

it('what nobody waits for shares the trip to the disk of whoever waits', async () => {
  wal.wrote();
  const patient = wal.soon();
  wal.wrote();
  await wal.durable();
  // The clock stands still, so nothing else could have brought it there.
  await patient;
  expect(vi.getTimerCount()).toBe(0);
});
