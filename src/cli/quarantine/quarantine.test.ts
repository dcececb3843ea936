import { expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { loadConfig } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import { createTasks } from '../../kit/tasks/index.ts';
import { openExistingPlatform } from '../../operator/open-existing-platform.ts';
import { createQuarantine } from '../../operator/quarantine.ts';
import { preparePlatform, run, runJson } from '../run-for-tests.ts';

/** A task that three processes died with, as a server finds it. */
async function quarantineOne(environment: Environment): Promise<string> {
  const platform = await openExistingPlatform(loadConfig(environment));
  const { database } = platform;
  let nowMs = Date.now();
  const tasks = createTasks({ database, now: () => nowMs });
  const payload = { document_id: 'd-1', text: 'a private text' };
  const id = await database.transaction((tx) => tasks.enqueue(tx, { queue: 'documents', payload }));
  for (let death = 0; death < 4; death++) {
    await tasks.claim('documents', { limit: 1, leaseMs: 1 });
    nowMs += 1;
  }
  await createQuarantine(platform).report();
  await platform.close();
  return id;
}

onEachDatabase('tramontane quarantine', (database) => {
  it('lists what was set aside without its texts, warns of it in doctor, and lets it run again', async () => {
    const { environment } = await preparePlatform(database);
    expect((await run(['quarantine', 'list'], environment)).stdout).toBe('Nothing is set aside.\n');
    const id = await quarantineOne(environment);

    const { data } = await runJson(['quarantine', 'list'], environment);
    expect(data.items).toEqual([
      {
        ...{ id, queue: 'documents', organization_id: null, about: { document_id: 'd-1' }, deaths: 3 },
        quarantined_at: expect.any(String),
      },
    ]);
    expect((await run(['quarantine', 'list'], environment)).stdout).toMatch(/documents +3 .*document_id=d-1/);
    const doctor = await runJson(['doctor'], environment);
    expect(doctor.data.checks).toContainEqual(
      expect.objectContaining({ name: 'quarantine', status: 'warn', what: expect.stringContaining('1 of documents') }),
    );

    expect(await run(['quarantine', 'retry', id], environment)).toMatchObject({ code: 0 });
    expect(await run(['quarantine', 'retry', id], environment)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('tramontane quarantine list'),
    });
    expect((await runJson(['quarantine', 'list'], environment)).data.items).toEqual([]);
    const audited = await runJson(['audit', 'list', '--events', 'task.quarantine,task.retry'], environment);
    expect(audited.data.entries).toMatchObject([
      { event_type: 'task.retry', target_metadata: { task_id: id, queue: 'documents', document_id: 'd-1' } },
      { event_type: 'task.quarantine', actor_metadata: { name: 'server' } },
    ]);
  });
});
