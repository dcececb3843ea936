import { expect, it } from 'vitest';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { startReceiver } from '../../notifications/receive-for-tests.ts';
import { WITHIN } from '../../workflows/workflows-for-tests.ts';
import { runHere } from '../run-here-for-tests.ts';

it('endpoints are added, tested, their messages replayed, and they are enabled and removed', async () => {
  const receiver = await startReceiver();
  const server = await startTestServer(sqliteForTests(), { file: { outbound: { allow: [receiver.place] } } });
  const environment = { TRAMONTANE_URL: server.url, TRAMONTANE_API_KEY: server.key };
  const run = async (...words: string[]) => {
    const done = await runHere(words, environment);
    expect(done, done.stderr).toMatchObject({ code: 0 });
    return done as typeof done & { data: Record<string, string> };
  };
  const added = await run('notifications', 'add', `${receiver.url}/hook`, '--events', 'key.created');
  expect(added.stdout).toContain('whsec_');
  const id = added.data.id ?? '';
  await run('notifications', 'test', id);
  await expect.poll(async () => (await run('notifications', 'deliveries', id)).stdout, WITHIN).toContain('delivered');
  const { data } = await run('notifications', 'deliveries', id);
  const [delivery] = data.deliveries as unknown as { id: string }[];
  await run('notifications', 'replay', id, delivery?.id ?? '');
  await expect.poll(() => receiver.received.length, WITHIN).toBe(2);
  await run('notifications', 'enable', id);
  expect((await run('notifications', 'list')).stdout).toMatch(/hook +enabled +key\.created/);
  expect((await run('notifications', 'deliveries', id, '--failed')).stdout).toContain('Nothing was sent');
  await run('notifications', 'remove', id);
});
