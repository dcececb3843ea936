import { expect, it } from 'vitest';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { deliverFromGithub } from '../../webhooks/send-for-tests.ts';
import { startWorker, WITHIN } from '../../workflows/workflows-for-tests.ts';
import { runHere } from '../run-here-for-tests.ts';

it('webhooks are added, get triggers, show deliveries, and are removed', async () => {
  const server = await startTestServer(sqliteForTests());
  await startWorker(server, { workflows: { note: async (_, input) => input }, steps: {} });
  const environment = { TRAMONTANE_URL: server.url, TRAMONTANE_API_KEY: server.key, SLACK: 'a secret of slack' };
  const run = async (...words: string[]) => {
    const done = await runHere(words, environment);
    expect(done, done.stderr).toMatchObject({ code: 0 });
    return done as typeof done & { data: Record<string, string> };
  };
  const { data: webhook } = await run('webhooks', 'add', 'github', 'Ours');
  const slack = await run('webhooks', 'add', 'slack', 'Team', '--secret', 'SLACK');
  expect(slack.stdout).not.toContain('Secret');
  expect((await runHere(['webhooks', 'add', 'slack', 'x', '--secret', 'NONE'], environment)).stderr).toContain('NONE');
  await run(
    'webhooks',
    'trigger',
    webhook.id ?? '',
    'On push',
    '--workflow',
    'note',
    '--filter',
    "event_type == 'push'",
  );
  expect((await runHere(['webhooks', 'trigger', webhook.id ?? '', 'x'], environment)).code).not.toBe(0);
  await deliverFromGithub(server, { url: webhook.url ?? '' }, webhook.signing_secret ?? '', { a: 1 });
  await expect
    .poll(async () => (await run('webhooks', 'deliveries', webhook.id ?? '')).stdout, WITHIN)
    .toContain('1 of 1 trigger matched.');
  expect((await run('webhooks', 'list')).stdout).toMatch(/Ours +github +yes/);
  await run('webhooks', 'remove', webhook.id ?? '');
});
