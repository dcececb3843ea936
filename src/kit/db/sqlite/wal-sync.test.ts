import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDir } from '../../../../test/support/databases.ts';
import { createWalSync } from './wal-sync.ts';

function open() {
  const file = join(temporaryDir(), 'log-wal');
  writeFileSync(file, '');
  return createWalSync(file);
}

it('nothing written needs no sync', async () => {
  const wal = createWalSync('/nowhere/at/all');
  await wal.durable();
  wal.close();
});

it('a write that comes while a sync runs waits for the next one, and many share it', async () => {
  const wal = open();
  wal.wrote();
  const first = wal.durable();
  wal.wrote();
  const second = wal.durable();
  const third = wal.durable();
  expect(second).not.toBe(first);
  expect(third).toBe(second);
  await Promise.all([first, second]);
  await wal.durable();
  wal.close();
});

it.runIf(process.platform === 'linux')('a failed sync is final: nothing after it is called durable', async () => {
  // The null device cannot be synced, which stands for a disk that failed.
  const wal = createWalSync('/dev/null');
  wal.wrote();
  await expect(wal.durable()).rejects.toThrow('The disk failed');
  await expect(wal.durable()).rejects.toThrow('The disk failed');
  wal.close();
});
