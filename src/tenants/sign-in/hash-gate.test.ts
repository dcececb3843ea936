import { expect, it } from 'vitest';
import { ApiError } from '../../kit/http/index.ts';
import { createHashGate } from './hash-gate.ts';

/** Jobs that end when told to. */
function startJobs() {
  const run = createHashGate();
  const ends: (() => void)[] = [];
  const job = (client: string) => run(client, () => new Promise<void>((resolve) => ends.push(resolve)));
  return { job, ends };
}

it('hashes two passwords at once, the others wait in order', async () => {
  const { job, ends } = startJobs();
  const done = ['a', 'b', 'c', 'd'].map((client) => job(client));
  await Promise.resolve();
  expect(ends).toHaveLength(2);
  ends[0]?.();
  await done[0];
  await Promise.resolve();
  expect(ends).toHaveLength(3);
  for (let i = 1; i < 4; i++) {
    ends[i]?.();
    await done[i];
  }
});

it('refuses with 503 when one client, or all together, fill the queue', async () => {
  const { job, ends } = startJobs();
  const jobs = ['x', 'y'].map((client) => job(client));
  for (let i = 0; i < 8; i++) jobs.push(job('flood'));
  const refused = (client: string) => expect(job(client)).rejects.toThrow(ApiError);
  await refused('flood');
  for (let i = 0; i < 56; i++) jobs.push(job(`client ${i}`));
  await refused('somebody else');
  for (let i = 0; i < jobs.length; i++) {
    ends[i]?.();
    await jobs[i];
    await Promise.resolve();
  }
  await Promise.all(jobs);
});
