import { expect, it } from 'vitest';
import { shareReads } from './share-reads.ts';

it('callers of one turn share a read, and one that asks while it runs gets a newer one', async () => {
  const share = shareReads<number>();
  let reads = 0;
  const running: ((value: number) => void)[] = [];
  const read = () => {
    reads++;
    return new Promise<number>((resolve) => void running.push(resolve));
  };
  const first = [share('a', read), share('a', read), share('b', read)];
  expect(reads).toBe(0);
  await new Promise(setImmediate);
  expect(reads).toBe(2);
  const later = share('a', read);
  await new Promise(setImmediate);
  expect(reads).toBe(3);
  for (const [at, resolve] of running.entries()) resolve(at);
  expect(await Promise.all([...first, later])).toEqual([0, 0, 1, 2]);
});

it('a read that fails fails for all who asked, and the next one begins anew', async () => {
  const share = shareReads<number>();
  const fail = () => Promise.reject(new Error('away'));
  const asked = [share('a', fail), share('a', fail)];
  for (const { status } of await Promise.allSettled(asked)) expect(status).toBe('rejected');
  expect(await share('a', async () => 1)).toBe(1);
});
