import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { collect } from '../collect.ts';
import type { Chapter } from '../platform.ts';

export const definitions: Chapter = async ({ workflows }) => {
  const pages = await collect(await workflows.getWorkflows({ limit: 1, activeOnly: true }));
  deepEqual(
    pages.flatMap(({ result }) => result.workflows).map(({ name }) => name),
    ['greet', 'listen'],
  );
  const workflowIdentifier = 'greet';
  const { workflow } = await workflows.getWorkflow({ workflowIdentifier });
  const workflowUpdateRequest = { displayName: 'Greetings', tags: ['hi'] };
  equal((await workflows.updateWorkflow({ workflowIdentifier, workflowUpdateRequest })).workflow.id, workflow.id);
  const { workflowRegistrations } = await workflows.getWorkflowRegistrations({ withWorkflow: true, limit: 10 });
  const id = workflowRegistrations.find((registration) => registration.workflow?.name === 'greet')?.id ?? '';
  const registration = await workflows.getWorkflowRegistration({ workflowRegistrationId: id, withWorkflow: true });
  equal(registration.workflowRegistration.id, id);
  const workflowExecutionRequest = { input: { name: 'Bo' }, waitForResult: true };
  const ran = await workflows.executeWorkflowRegistration({ workflowRegistrationId: id, workflowExecutionRequest });
  equal((ran as { result?: unknown }).result, 'Hello, Bo');
  const workflowIds = [workflow.id];
  equal((await workflows.archiveWorkflow({ workflowIdentifier })).workflow.archived, true);
  equal((await workflows.unarchiveWorkflow({ workflowIdentifier })).workflow.archived, false);
  equal((await workflows.bulkArchiveWorkflows({ workflowIds })).archived?.length, 1);
  equal((await workflows.bulkUnarchiveWorkflows({ workflowIds })).unarchived?.length, 1);
  ok((await workflows.metrics.getWorkflowMetrics({ workflowName: 'greet' })).executionCount.value >= 1);
};

export const executions: Chapter = async ({ workflows, events }) => {
  const { executions: room, runs } = workflows;
  const start = async () => {
    const executionId = randomUUID();
    await workflows.executeWorkflow({ workflowIdentifier: 'listen', workflowExecutionRequest: { executionId } });
    return executionId;
  };
  const executionId = await start();
  const asked = await room.queryWorkflowExecution({ executionId, queryInvocationBody: { name: 'state' } });
  equal(asked.result, 'listens');
  const updateInvocationBody = { name: 'change', input: { a: 1 } };
  deepEqual((await room.updateWorkflowExecution({ executionId, updateInvocationBody })).result, { a: 1 });
  // Opened while it runs: workers send their last logs a moment after the end.
  const logs = await room.streamWorkflowExecutionLogs({ executionId });
  const signalInvocationBody = { name: 'go', input: { x: 1 } };
  await room.signalWorkflowExecution({ executionId, signalInvocationBody });
  const last = 'WORKFLOW_EXECUTION_COMPLETED';
  for (const stream of [
    await workflows.events.getStreamEvents({ rootWorkflowExecId: executionId }),
    await events.getStreamEvents({ rootWorkflowExecId: executionId }),
    await room.stream({ executionId, eventSource: 'DATABASE' }),
  ]) {
    const data = (await collect(stream)).at(-1)?.data;
    equal(data && 'data' in data ? data.data.eventType : undefined, last);
  }
  for (const list of [workflows.events, events])
    equal((await list.getWorkflowEvents({ rootWorkflowExecId: executionId })).events.at(-1)?.eventType, last);
  const { runId, status } = await room.getWorkflowExecution({ executionId });
  equal(status, 'COMPLETED');
  const { events: history } = (await room.getWorkflowExecutionHistory({ executionId })) as { events: unknown[] };
  ok(history.length > 8);
  equal((await collect(logs)).length, 1);
  equal((await room.getWorkflowExecutionLogs({ executionId })).results.length, 1);
  ok((await room.getWorkflowExecutionTraceInfo({ executionId })).otelTraceId);
  ok((await room.getWorkflowExecutionTraceOtel({ executionId })).otelTraceData);
  const { spanTree } = await room.getWorkflowExecutionTraceSummary({ executionId });
  ok(spanTree?.events.some(({ name }) => name === 'signal'));
  ok((await room.getWorkflowExecutionTraceEvents({ executionId, mergeSameIdEvents: true })).events?.length);
  equal((await runs.getRun({ runId: runId ?? '' })).executionId, executionId);
  ok(await runs.getRunHistory({ runId: runId ?? '' }));
  equal((await runs.listRuns({ rootExecutionId: executionId })).result.executions.length, 1);
  await room.resetWorkflow({ executionId, resetInvocationBody: { eventId: 4, reason: 'again' } });
  await room.cancelWorkflowExecution({ executionId: await start() });
  await room.terminateWorkflowExecution({ executionId: await start() });
  const [a, b] = [await start(), await start()];
  equal((await room.batchCancelWorkflowExecutions({ executionIds: [a] })).results?.[a]?.status, 'success');
  equal((await room.batchTerminateWorkflowExecutions({ executionIds: [b] })).results?.[b]?.status, 'success');
};

export const schedules: Chapter = async ({ workflows: { schedules: room } }) => {
  const { scheduleId } = await room.scheduleWorkflow({
    workflowIdentifier: 'greet',
    schedule: { input: { name: 'all' }, cronExpressions: ['0 7 * * mon-fri'], timeZoneName: 'Europe/Paris' },
  });
  const schedule = { policy: { overlap: 2 as const } };
  await room.updateSchedule({ scheduleId, workflowScheduleUpdateRequest: { schedule } });
  await room.pauseSchedule({ scheduleId, workflowSchedulePauseRequest: { note: 'soon' } });
  equal((await room.getSchedule({ scheduleId })).paused, true);
  await room.resumeSchedule({ scheduleId });
  await room.triggerSchedule({ scheduleId });
  equal((await room.getSchedules({ workflowName: 'greet' })).result.schedules[0]?.scheduleId, scheduleId);
  await room.unscheduleWorkflow({ scheduleId });
};

export const deployments: Chapter = async ({ workflows }) => {
  const { deployments: room } = workflows;
  const name = 'main';
  await workflows.executeWorkflow({ workflowIdentifier: 'listen', workflowExecutionRequest: {} });
  deepEqual(
    (await room.listDeployments({})).deployments.map((deployment) => deployment.name),
    [name],
  );
  equal((await room.getDeployment({ name })).workers.length, 1);
  equal((await room.listDeploymentWorkers({ name })).workers.length, 1);
  // The stream lasts as long as the deployment.
  for await (const { data } of await room.streamDeploymentLogs({ name })) {
    ok(data);
    break;
  }
  ok((await room.getDeploymentLogs({ name })).results.length > 0);
  // The operator starts and stops workers: the response is always the same sentence.
  for (const refuse of [
    () => room.createDeployment({ name: 'x', spec: { githubUrl: 'https://example.test/x' } }),
    () => room.updateDeployment({ name, updateDeploymentRequest: {} }),
    () => room.deleteDeployment({ name }),
    () => room.stopDeployment({ name }),
    () => room.startDeployment({ name }),
    () => room.restartDeployment({ name }),
  ])
    await rejects(refuse, { statusCode: 409 });
};
