import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it } from 'vitest';
import { startWorker, startWorkflows, WITHIN } from '../../src/workflows/workflows-for-tests.ts';
import { sqliteForTests } from '../support/databases.ts';
import { python } from '../support/python.ts';
import { runPython } from '../support/run-python.ts';
import type { TestServer } from '../support/server.ts';

const anything = { type: 'object' };
let server: TestServer;
let workflows: Mistral['workflows'];
beforeAll(async () => {
  server = (await startWorkflows(sqliteForTests())).server;
  workflows = new Mistral({ serverURL: server.url, apiKey: server.key }).workflows;
  await startWorker(
    server,
    {
      workflows: {
        greet: async (ctx, input) => ctx.step('say', [(input as { name: string }).name]),
        listen: async (ctx) => {
          ctx.onUpdate('change', (input) => input);
          await ctx.step('say', ['nobody']);
          return ctx.signal('go');
        },
      },
      steps: { say: ([name]) => `Hello, ${name}` },
    },
    {
      listen: {
        signals: [{ name: 'go', input_schema: anything }],
        queries: [{ name: 'ask', input_schema: anything }],
        updates: [{ name: 'change', input_schema: anything }],
      },
    },
  );
});

describe('the official TypeScript SDK', () => {
  it('every operation on workflows and registrations', async () => {
    const listed = [];
    for await (const page of await workflows.getWorkflows({ limit: 1, search: 'e', status: ['RUNNING', 'COMPLETED'] }))
      listed.push(...page.result.workflows);
    expect(listed).toEqual([]);
    const all = (await workflows.getWorkflows({ activeOnly: true, includeShared: true, order: 'asc' })).result
      .workflows;
    expect(all.map(({ name }) => name)).toEqual(['greet', 'listen']);
    const { workflow } = await workflows.getWorkflow({ workflowIdentifier: 'greet' });
    expect(workflow).toMatchObject({ name: 'greet', active: true, archived: false });
    const updated = await workflows.updateWorkflow({
      workflowIdentifier: 'greet',
      workflowUpdateRequest: { displayName: 'Greetings', tags: ['hi'] },
    });
    expect(updated.workflow).toMatchObject({ displayName: 'Greetings', tags: ['hi'] });
    const first = await workflows.getWorkflowRegistrations({ withWorkflow: true, activeOnly: true, limit: 10 });
    const { workflowRegistrations, workflowVersions } = first;
    expect(workflowVersions).toEqual(workflowRegistrations);
    const id = workflowRegistrations.find((registration) => registration.workflow?.name === 'greet')?.id ?? '';
    const one = await workflows.getWorkflowRegistration({ workflowRegistrationId: id, withWorkflow: true });
    expect(one.workflowRegistration).toMatchObject({ id, active: true });
    const ran = await workflows.executeWorkflowRegistration({
      workflowRegistrationId: id,
      workflowExecutionRequest: { input: { name: 'Bo' }, waitForResult: true },
    });
    expect(ran).toMatchObject({ result: 'Hello, Bo' });
    const workflowIds = [workflow.id];
    expect((await workflows.archiveWorkflow({ workflowIdentifier: 'greet' })).workflow.archived).toBe(true);
    expect((await workflows.unarchiveWorkflow({ workflowIdentifier: 'greet' })).workflow.archived).toBe(false);
    expect((await workflows.bulkArchiveWorkflows({ workflowIds })).archived).toHaveLength(1);
    expect((await workflows.bulkUnarchiveWorkflows({ workflowIds })).unarchived).toHaveLength(1);
    const { executionCount } = await workflows.metrics.getWorkflowMetrics({ workflowName: 'greet' });
    expect(executionCount.value).toBe(1);
    await expect(workflows.getWorkflow({ workflowIdentifier: 'nothing' })).rejects.toMatchObject({ statusCode: 404 });
  });

  it('every operation on executions, runs and events', async () => {
    const executionId = randomUUID();
    const workflowExecutionRequest = { executionId, input: {} };
    const started = await workflows.executeWorkflow({ workflowIdentifier: 'listen', workflowExecutionRequest });
    expect(started).toMatchObject({ executionId, status: 'RUNNING' });
    const { executions, runs, events } = workflows;
    const read = () => executions.getWorkflowExecution({ executionId });
    const { runId } = await read();
    const history = async () =>
      (await executions.getWorkflowExecutionHistory({ executionId, decodePayloads: true })) as { events: unknown[] };
    await expect.poll(async () => (await history()).events.length, WITHIN).toBeGreaterThan(8);
    const asked = await executions.queryWorkflowExecution({ executionId, queryInvocationBody: { name: 'ask' } });
    expect(asked).toMatchObject({ queryName: 'ask' });
    const changed = await executions.updateWorkflowExecution({
      executionId,
      updateInvocationBody: { name: 'change', input: { a: 1 } },
    });
    expect(changed).toEqual({ updateName: 'change', result: { a: 1 } });
    await expect(executions.resetWorkflow({ executionId, resetInvocationBody: { eventId: 1 } })).rejects.toMatchObject({
      statusCode: 422,
    });
    const said = await executions.signalWorkflowExecution({
      executionId,
      signalInvocationBody: { name: 'go', input: { x: 1 } },
    });
    expect(said).toEqual({ message: 'Signal accepted' });
    await expect.poll(async () => (await read()).status, WITHIN).toBe('COMPLETED');
    const types: unknown[] = [];
    for await (const { data } of await events.getStreamEvents({ rootWorkflowExecId: executionId }))
      if (data && 'data' in data) types.push(data.data.eventType);
    expect(types.at(-1)).toBe('WORKFLOW_EXECUTION_COMPLETED');
    const own: unknown[] = [];
    for await (const { data } of await executions.stream({ executionId, eventSource: 'DATABASE' }))
      if (data && 'data' in data) own.push(data.data.eventType);
    expect(own).toEqual(types);
    const listed = await events.getWorkflowEvents({ rootWorkflowExecId: executionId });
    expect(listed.events.map(({ eventType }) => eventType)).toEqual(types);
    const logs = await executions.getWorkflowExecutionLogs({ executionId });
    expect(logs.results).toEqual([]);
    for await (const log of await executions.streamWorkflowExecutionLogs({ executionId })) expect(log).toBeUndefined();
    expect(await executions.getWorkflowExecutionTraceInfo({ executionId })).toMatchObject({
      otelTraceId: expect.any(String),
    });
    const page = await runs.listRuns({ rootExecutionId: executionId, userId: 'current' });
    expect(page.result.executions).toMatchObject([{ executionId, status: 'COMPLETED' }]);
    expect(await runs.getRun({ runId: runId ?? '' })).toMatchObject({ result: { x: 1 } });
    expect(await runs.getRunHistory({ runId: runId ?? '' })).toMatchObject({ events: expect.any(Array) });
    const [a, b] = [randomUUID(), randomUUID()];
    for (const id of [a, b])
      await workflows.executeWorkflow({ workflowIdentifier: 'listen', workflowExecutionRequest: { executionId: id } });
    await executions.cancelWorkflowExecution({ executionId: a });
    await executions.terminateWorkflowExecution({ executionId: a });
    expect((await executions.batchCancelWorkflowExecutions({ executionIds: [b] })).results?.[b]?.status).toBe(
      'success',
    );
    expect((await executions.batchTerminateWorkflowExecutions({ executionIds: [b] })).results?.[b]?.status).toBe(
      'success',
    );
  });

  it('every operation on schedules and deployments', async () => {
    const { schedules, deployments } = workflows;
    const { scheduleId } = await schedules.scheduleWorkflow({
      workflowIdentifier: 'greet',
      schedule: { input: { name: 'all' }, cronExpressions: ['0 7 * * mon-fri'], timeZoneName: 'Europe/Paris' },
    });
    expect(await schedules.getSchedule({ scheduleId })).toMatchObject({ scheduleId, paused: false });
    const schedule = { policy: { overlap: 2 as const } };
    await schedules.updateSchedule({ scheduleId, workflowScheduleUpdateRequest: { schedule } });
    await schedules.pauseSchedule({ scheduleId, workflowSchedulePauseRequest: { note: 'soon' } });
    await schedules.resumeSchedule({ scheduleId });
    await schedules.triggerSchedule({ scheduleId });
    const listed = (await schedules.getSchedules({ workflowName: 'greet' })).result.schedules;
    expect(listed).toMatchObject([
      { scheduleId, policy: { overlap: 2 }, recentExecutions: [{ executionId: expect.any(String) }] },
    ]);
    await schedules.unscheduleWorkflow({ scheduleId });
    const { deployments: shown } = await deployments.listDeployments({});
    expect(shown).toMatchObject([{ name: 'main', isActive: true }]);
    expect((await deployments.getDeployment({ name: 'main' })).workers).toHaveLength(1);
    expect((await deployments.listDeploymentWorkers({ name: 'main' })).workers).toHaveLength(1);
    expect((await deployments.getDeploymentLogs({ name: 'main' })).results).toEqual([]);
    const spec = { githubUrl: 'https://example.test/x' };
    for (const ask of [
      () => deployments.createDeployment({ name: 'x', spec }),
      () => deployments.updateDeployment({ name: 'main', updateDeploymentRequest: {} }),
      () => deployments.deleteDeployment({ name: 'main' }),
      () => deployments.stopDeployment({ name: 'main' }),
      () => deployments.startDeployment({ name: 'main' }),
      () => deployments.restartDeployment({ name: 'main' }),
    ])
      await expect(ask()).rejects.toMatchObject({ statusCode: 409 });
  });
});

describe.runIf(python)('the official Python SDK', () => {
  it('starts, reads, steers and follows an execution', async () => {
    const script = fileURLToPath(new URL('workflows.py', import.meta.url));
    const stdout = await runPython(script, [server.url, server.key]);
    expect(stdout.trim().split('\n').at(-1)).toBe('ok');
  }, 60_000);
});
