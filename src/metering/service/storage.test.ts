import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { LimitCache } from '../cache-limits.ts';
import { type LimitScope, NO_LIMITS } from '../schema.ts';
import { createStorage } from './storage.ts';

const scope = { organization_id: 'o', workspace_id: 'w' };

/** A workspace with a limit of 100 bytes, and what its database would hold. */
function open({ stored = 0, organization = null as number | null } = {}) {
  const disk = { stored, measurements: 0 };
  const table = ({ kind }: LimitScope) => ({ ...NO_LIMITS, storage_bytes: kind === 'workspace' ? 100 : organization });
  const limits: LimitCache = { current: () => table, load: async () => table };
  const measure = async () => {
    disk.measurements += 1;
    await sleep(1);
    return disk.stored;
  };
  const storage = createStorage({ limits, measure });
  const put = (bytes: number) =>
    storage.run(
      scope,
      () => bytes,
      async () => {
        await sleep(1);
        disk.stored += bytes;
      },
    );
  return { disk, put };
}

const REFUSED = expect.objectContaining({ status: 413 });

it('takes what fits and refuses the rest, without a measurement for each write', async () => {
  const { disk, put } = open({ stored: 40 });
  for (let time = 0; time < 6; time++) await put(10);
  expect(disk.measurements).toBe(1);
  await expect(put(1)).rejects.toEqual(REFUSED);
  expect(disk.stored).toBe(100);
});

it('does not let parallel writes exceed the limit together', async () => {
  const { disk, put } = open();
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => put(7)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(14);
  expect(disk.stored).toBe(98);
});

it('takes writes again once something was deleted', async () => {
  const { disk, put } = open({ stored: 100 });
  await expect(put(1)).rejects.toEqual(REFUSED);
  disk.stored = 0;
  await expect
    .poll(
      () =>
        Promise.resolve(put(50)).then(
          () => 'taken',
          () => 'refused',
        ),
      { timeout: 3000 },
    )
    .toBe('taken');
});

it('counts what a failed write did not store as nothing', async () => {
  const { disk, put } = open();
  const table = ({ kind }: LimitScope) => ({ ...NO_LIMITS, storage_bytes: kind === 'workspace' ? 100 : null });
  const storage = createStorage({ limits: { current: () => table, load: async () => table }, measure: async () => 0 });
  for (let time = 0; time < 3; time++)
    await expect(
      storage.run(
        scope,
        () => 90,
        () => Promise.reject(new Error('no')),
      ),
    ).rejects.toThrow('no');
  await put(90);
  expect(disk.stored).toBe(90);
});

it('applies the limit of the organization to each of its workspaces', async () => {
  const { put } = open({ organization: 30 });
  await put(30);
  await expect(put(1)).rejects.toEqual(REFUSED);
});

it('costs nothing where no limit is set', () => {
  const table = () => NO_LIMITS;
  const never = () => {
    throw new Error('measured');
  };
  const storage = createStorage({ limits: { current: () => table, load: async () => table }, measure: never });
  expect(storage.run(scope, never, () => 7)).toBe(7);
});

it('reads the limits once where they may not be kept in memory', async () => {
  let reads = 0;
  const limits: LimitCache = {
    current: () => undefined,
    load: async () => {
      reads++;
      return () => ({ ...NO_LIMITS, storage_bytes: 10 });
    },
  };
  const storage = createStorage({ limits, measure: async () => 0 });
  const put = async (bytes: number) =>
    storage.run(
      scope,
      () => bytes,
      () => 'stored',
    );
  await expect(put(11)).rejects.toEqual(REFUSED);
  expect(await put(10)).toBe('stored');
  expect(reads).toBe(2);
});

it('refuses with the limit, what is used and what was asked, where less than a hundredth still counts', async () => {
  const table = ({ kind }: LimitScope) => ({
    ...NO_LIMITS,
    storage_bytes: kind === 'organization' ? 2 * 2 ** 20 : null,
  });
  const limits = { current: () => table, load: async () => table };
  const storage = createStorage({ limits, measure: async () => 1.5 * 2 ** 20 });
  const put = (of: object, bytes: number) => async () =>
    storage.run(
      of as typeof scope,
      () => bytes,
      () => 'stored',
    );
  const message = expect.stringMatching(/organization.*(1\.50.*2\.00|2\.00.*1\.50)/);
  await expect(put(scope, 2 ** 19 + 1)()).rejects.toMatchObject({ message });
  await expect(put(scope, 2 ** 19 + 1)()).rejects.toThrow('0.51');
  expect(await put({ organization_id: '', workspace_id: 'w' }, 2 ** 30)()).toBe('stored');
});

it('measures again after a measurement that failed', async () => {
  const table = () => ({ ...NO_LIMITS, storage_bytes: 10 });
  let attempts = 0;
  const measure = async () => {
    if (++attempts === 1) throw new Error('away');
    return 0;
  };
  const storage = createStorage({ limits: { current: () => table, load: async () => table }, measure });
  const put = () =>
    storage.run(
      { organization_id: '', workspace_id: 'w' },
      () => 10,
      () => 'stored',
    );
  await expect(put()).rejects.toThrow('away');
  expect(await put()).toBe('stored');
});
