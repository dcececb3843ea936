import { expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { loadConfig } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import { createTasks } from '../../kit/tasks/index.ts';
import { openExistingPlatform } from '../../operator/open-existing-platform.ts';
import { openQuarantine } from '../../operator/quarantine.ts';
import { engineForTests, startDeadly } from '../../workflows/engines/embedded/engine-for-tests.ts';
import { preparePlatform, run, runJson } from '../run-for-tests.ts';

/** Tasks that three processes died with, and an execution that three workers did not survive, as a server finds them. */
async function quarantineSome(environment: Environment) {
  const platform = await openExistingPlatform(loadConfig(environment));
  const { database } = platform;
  const clock = { ms: Date.now() };
  const now = () => clock.ms;
  const tasks = createTasks({ database, now });
  async function quarantine(queue: string, payload: object): Promise<string> {
    const id = await database.transaction((tx) => tasks.enqueue(tx, { queue, payload }));
    for (let death = 0; death < 4; death++) {
      await tasks.claim(queue, { limit: 1, leaseMs: 1 });
      clock.ms += 1;
    }
    return id;
  }
  const document = await quarantine('documents', { document_id: 'd-1', text: 'a private text' });
  const run = await quarantine('conversation-runs', { run_id: 'r-1' });
  await openQuarantine(platform).report();
  const execution = await startDeadly(engineForTests(database, now), clock, { executionId: 'one/of mine' });
  await platform.close();
  return { document, run, execution: execution.runId };
}

onEachDatabase('tramontane quarantine', (database) => {
  it('lists what was set aside without its texts, warns of it in doctor, and lets it run again', async () => {
    const { environment } = await preparePlatform(database);
    expect((await run(['quarantine', 'list'], environment)).stdout).toBe('Nothing is set aside.\n');
    const set = await quarantineSome(environment);

    const { data } = await runJson(['quarantine', 'list'], environment);
    const item = { organization_id: null, deaths: 3, quarantined_at: expect.any(String), instead: null };
    const about = { execution_id: 'one/of mine', workflow_name: 'any' };
    const instead = expect.stringContaining('send the message once more');
    expect(data.items).toEqual([
      { ...item, id: set.document, queue: 'documents', about: { document_id: 'd-1' } },
      { ...item, id: set.run, queue: 'conversation-runs', about: { run_id: 'r-1' }, instead },
      { ...item, id: set.execution, queue: 'executions', organization_id: 'organization-1', about },
    ]);
    const { stdout } = await run(['quarantine', 'list'], environment);
    expect(stdout).toMatch(/documents +3 .*document_id=d-1/);
    expect(stdout).toMatch(/executions +3 .*execution_id=one\/of mine workflow_name=any/);
    const doctor = await runJson(['doctor'], environment);
    expect(doctor.data.checks).toContainEqual(
      expect.objectContaining({
        ...{ name: 'quarantine', status: 'warn' },
        what: expect.stringContaining('1 of conversation-runs, 1 of documents, 1 of executions'),
      }),
    );

    for (const id of [set.document, set.execution]) {
      expect(await run(['quarantine', 'retry', id], environment)).toMatchObject({ code: 0 });
      expect(await run(['quarantine', 'retry', id], environment)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('tramontane quarantine list'),
      });
    }
    const left = [expect.objectContaining({ id: set.run })];
    expect((await runJson(['quarantine', 'list'], environment)).data.items).toEqual(left);
    const audited = await runJson(['audit', 'list', '--events', 'task.quarantine,task.retry'], environment);
    expect(audited.data.entries).toMatchObject([
      { event_type: 'task.retry', target_metadata: { task_id: set.document, queue: 'documents', document_id: 'd-1' } },
      { event_type: 'task.quarantine', actor_metadata: { name: 'server' } },
      { event_type: 'task.quarantine', actor_metadata: { name: 'server' } },
    ]);
  });

  it('refuses to retry what ended when it was set aside, and says what to do instead', async () => {
    const { environment } = await preparePlatform(database);
    const { data } = await runJson(['quarantine', 'list'], environment);
    const [{ id }] = data.items as [{ id: string }];
    const refused = await run(['quarantine', 'retry', id], environment);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('send the message once more') });
    expect((await runJson(['quarantine', 'list'], environment)).data.items).toEqual([expect.objectContaining({ id })]);
  });

  it('dismisses what has ended', async () => {
    const { environment } = await preparePlatform(database);
    const { data } = await runJson(['quarantine', 'list'], environment);
    const [{ id }] = data.items as [{ id: string }];
    expect((await run(['quarantine', 'dismiss', 'missing'], environment)).code).toBe(1);
    expect((await run(['quarantine', 'dismiss', id], environment)).code).toBe(0);
    expect((await run(['quarantine', 'list'], environment)).stdout).toBe('Nothing is set aside.\n');
    const audited = await runJson(['audit', 'list', '--events', 'task.dismiss'], environment);
    expect(audited.data.entries).toMatchObject([{ target_metadata: { task_id: id, run_id: 'r-1' } }]);
  });
});
