import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startWorker, startWorkflows, type Workflows } from './workflows-for-tests.ts';

onSqliteFirst('what other workspaces see of workflows', (database) => {
  let workflows: Workflows;
  let ids: Record<string, string>;
  beforeAll(async () => {
    workflows = await startWorkflows(database);
    await startWorker(workflows.server, { workflows: { secret: async (ctx) => ctx.signal('go') }, steps: {} });
    const EXECUTION = randomUUID();
    const started = await workflows.send('POST', '/secret/execute', { execution_id: EXECUTION });
    const schedule = { input: {}, cron_expressions: ['0 0 1 1 *'] };
    await workflows.send('POST', '/schedules', { schedule, workflow_identifier: 'secret', schedule_id: 'yearly' });
    const { body } = await workflows.send('GET', '/registrations');
    ids = {
      WORKFLOW: 'secret',
      EXECUTION,
      RUN: (started.body as { run_id: string }).run_id,
      REGISTRATION: (body as { workflow_registrations: { id: string }[] }).workflow_registrations[0]?.id ?? '',
      SCHEDULE: 'yearly',
      DEPLOYMENT: 'main',
    };
  });

  const routes: [string, string, unknown?][] = [
    ['GET', '/WORKFLOW'],
    ['PUT', '/WORKFLOW', {}],
    ['PUT', '/WORKFLOW/archive'],
    ['PUT', '/WORKFLOW/unarchive'],
    ['POST', '/WORKFLOW/execute', {}],
    ['GET', '/WORKFLOW/metrics'],
    ['GET', '/registrations/REGISTRATION'],
    ['POST', '/registrations/REGISTRATION/execute', {}],
    ['GET', '/executions/EXECUTION'],
    ['GET', '/executions/EXECUTION/history'],
    ['POST', '/executions/EXECUTION/signals', { name: 'go' }],
    ['POST', '/executions/EXECUTION/queries', { name: '__q' }],
    ['POST', '/executions/EXECUTION/updates', { name: '__u' }],
    ['POST', '/executions/EXECUTION/cancel'],
    ['POST', '/executions/EXECUTION/terminate'],
    ['POST', '/executions/EXECUTION/reset', { event_id: 3 }],
    ['GET', '/executions/EXECUTION/stream'],
    ['GET', '/executions/EXECUTION/logs'],
    ['GET', '/executions/EXECUTION/logs/stream'],
    ['GET', '/executions/EXECUTION/trace/info'],
    ['GET', '/executions/EXECUTION/trace/otel'],
    ['GET', '/executions/EXECUTION/trace/summary'],
    ['GET', '/executions/EXECUTION/trace/events'],
    ['GET', '/events/stream?root_workflow_exec_id=EXECUTION'],
    ['GET', '/events/stream?workflow_exec_id=EXECUTION'],
    ['GET', '/runs/RUN'],
    ['GET', '/runs/RUN/history'],
    ['GET', '/schedules/SCHEDULE'],
    ['PATCH', '/schedules/SCHEDULE', { schedule: {} }],
    ['DELETE', '/schedules/SCHEDULE'],
    ['POST', '/schedules/SCHEDULE/pause'],
    ['POST', '/schedules/SCHEDULE/resume'],
    ['POST', '/schedules/SCHEDULE/trigger'],
    ['GET', '/deployments/DEPLOYMENT'],
    ['GET', '/deployments/DEPLOYMENT/workers'],
    ['GET', '/deployments/DEPLOYMENT/logs'],
    ['GET', '/deployments/DEPLOYMENT/logs/stream'],
    ['DELETE', '/deployments/DEPLOYMENT'],
  ];
  const fill = (path: string, values: Record<string, string>) =>
    Object.entries(values).reduce((filled, [name, value]) => filled.replace(name, value), path);

  it('404: another workspace is told what it would be told of what is not there', async () => {
    const stranger = await addStranger(workflows.server);
    const missing = Object.fromEntries(Object.keys(ids).map((name) => [name, randomUUID()]));
    for (const [method, path, body] of routes) {
      const foreign = await workflows.send(method, fill(path, ids), body, stranger);
      const none = await workflows.send(method, fill(path, missing), body, stranger);
      let expected = none.text;
      for (const [name, value] of Object.entries(missing)) expected = expected.replaceAll(value, ids[name] ?? '');
      expect([path, foreign.status, foreign.text]).toEqual([path, 404, expected]);
    }
    expect((await workflows.send('GET', '', undefined, stranger)).body).toMatchObject({ workflows: [] });
    expect((await workflows.send('GET', '/registrations', undefined, stranger)).body).toMatchObject({
      workflow_registrations: [],
    });
    expect((await workflows.send('GET', '/runs', undefined, stranger)).body).toMatchObject({ executions: [] });
    expect((await workflows.send('GET', '/schedules', undefined, stranger)).body).toMatchObject({ schedules: [] });
    expect((await workflows.send('GET', '/events/list', undefined, stranger)).body).toMatchObject({ events: [] });
    expect((await workflows.send('GET', '/deployments', undefined, stranger)).body).toMatchObject({ deployments: [] });
    const { EXECUTION = '' } = ids;
    expect(
      (await workflows.send('POST', '/executions/terminate', { execution_ids: [EXECUTION] }, stranger)).body,
    ).toMatchObject({
      results: { [EXECUTION]: { status: 'failure' } },
    });
    expect((await workflows.send('GET', `/executions/${EXECUTION}`)).body).toMatchObject({ status: 'RUNNING' });
  });

  it('401 and 403: without a key, and with one that may not', async () => {
    const billing = await addColleague(workflows.server, 'billing');
    for (const [method, path, body] of routes) {
      expect([path, (await workflows.send(method, fill(path, ids), body, 'wrong')).status]).toEqual([path, 401]);
      expect([path, (await workflows.send(method, fill(path, ids), body, billing)).status]).toEqual([path, 403]);
    }
    for (const path of [
      '/register',
      '/workers/heartbeat',
      '/workers/poll',
      '/workers/advance',
      '/workers/logs',
      '/workers/reports',
      '/workers/find-workflow',
    ])
      expect((await workflows.send('POST', path, {}, billing)).status).toBe(403);
  });

  it('422: a property or a parameter that nobody knows', async () => {
    for (const [method, path, body] of routes) {
      const known = body === undefined || JSON.stringify(body) === '{}' ? {} : (body as object);
      const at = fill(path, ids);
      const sent = method === 'GET' || method === 'DELETE' ? undefined : { ...known, nobody: 1 };
      const asked = sent === undefined ? `${at}${at.includes('?') ? '&' : '?'}nobody=1` : at;
      if (sent !== undefined && body === undefined && !path.startsWith('/schedules')) continue;
      expect([asked, (await workflows.send(method, asked, sent)).status]).toEqual([asked, 422]);
    }
  });
});
