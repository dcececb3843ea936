import { expect, it } from 'vitest';
import { fill } from '../../quality/campaigns/upgrade/fill.ts';
import { checkDatabase } from '../../src/operator/doctor/check-database.ts';
import { definitionOf, register } from '../../src/workflows/workflows-for-tests.ts';
import { call } from '../support/call.ts';
import { onSqliteFirst } from '../support/databases.ts';
import { startTestServer } from '../support/server.ts';
import { startUpstream } from '../support/upstream.ts';
import { listQueues } from './list-queues.ts';
import { poisonRows } from './poison-rows.ts';

const READY_MS_MAX = 10_000;
const WITHIN = { timeout: 20_000, interval: 50 };

onSqliteFirst('stored data', (database) => {
  it('cannot keep a server from starting, nor its queues from moving, whatever is in it', async () => {
    const upstream = await startUpstream();
    const file = { models: [{ id: 'small', engine: 'upstream', url: upstream.url }] };
    const first = await startTestServer(database, { file });
    const { bootstrap } = first;
    if (!bootstrap.created) throw new Error('the database was not empty');
    const { apiKey: key, adminKey = '' } = bootstrap;
    await fill({ url: first.url, key, adminKey });
    await first.stop();

    const handle = await database.open();
    const queues = listQueues();
    expect(queues.length).toBeGreaterThan(15);
    const planted = await poisonRows(handle, queues);
    expect([...planted.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1000);

    const began = performance.now();
    const second = await startTestServer(database, { file });
    const ask = (path: string, body?: unknown) =>
      call({ url: second.url, key }, path, body === undefined ? {} : { body });
    expect((await ask('/readyz')).status).toBe(200);
    expect(performance.now() - began).toBeLessThan(READY_MS_MAX);
    expect((await ask('/v1/users/me')).status).toBe(200);
    const started = await ask('/v1/conversations', { model: 'small', inputs: 'Hi' });
    expect(started.status, started.text).toBe(200);

    const requests = [{ custom_id: '1', body: { messages: [{ role: 'user', content: 'Hi' }] } }];
    const job = await ask('/v1/batch/jobs', { endpoint: '/v1/chat/completions', model: 'small', requests });
    const { id } = job.body as { id: string };
    await expect
      .poll(async () => (await ask(`/v1/batch/jobs/${id}`)).body, WITHIN)
      .toMatchObject({ status: 'SUCCESS' });

    await register({ ...second, key }, [definitionOf('later')]);
    const schedule = { input: {}, intervals: [{ every: 'PT1S' }] };
    const planned = await ask('/v1/workflows/schedules', { workflow_identifier: 'later', schedule });
    const { schedule_id } = planned.body as { schedule_id: string };
    const recent = async () => (await ask(`/v1/workflows/schedules/${schedule_id}`)).body;
    await expect.poll(recent, WITHIN).toMatchObject({ recent_executions: [expect.anything()] });

    // Copies of a schedule whose definition means nothing were paused, and the operator can see it.
    await expect
      .poll(() => checkDatabase(second.config), WITHIN)
      .toContainEqual(expect.objectContaining({ name: 'schedules', status: 'warn' }));
    await handle.close();
  });
});
