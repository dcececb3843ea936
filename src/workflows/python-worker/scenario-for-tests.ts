import { Mistral } from '@mistralai/mistralai';
import { expect } from 'vitest';
import { WITHIN } from '../workflows-for-tests.ts';

/** What a client does with the workflows of worker.py, through the official TypeScript SDK. */
export async function playScenario(serverURL: string, apiKey: string): Promise<void> {
  const { workflows } = new Mistral({ serverURL, apiKey });
  const { executions, events, runs } = workflows;
  const execute = (workflowIdentifier: string, workflowExecutionRequest: object) =>
    workflows.executeWorkflow({ workflowIdentifier, workflowExecutionRequest });
  const status = async (executionId: string) => (await executions.getWorkflowExecution({ executionId })).status;

  const listed = (await workflows.getWorkflows({ search: 'print' })).result.workflows;
  expect(listed.map(({ name }) => name)).toContain('print-shop');

  const once = await execute('print-once', { executionId: 'once', input: { name: 'Ada' }, waitForResult: true });
  expect(once).toMatchObject({ executionId: 'once', result: { result: 'Ada 1' } });

  const executionId = 'shop';
  const started = await execute('print-shop', { executionId, input: { name: 'Bob', copies: 2 } });
  expect(started).toMatchObject({ status: 'RUNNING' });
  const followed: string[] = [];
  const following = (async () => {
    for await (const { data } of await events.getStreamEvents({ rootWorkflowExecId: executionId }))
      if (data && 'data' in data) followed.push(data.data.eventType);
  })();
  const pages = async () =>
    (await executions.queryWorkflowExecution({ executionId, queryInvocationBody: { name: 'pages' } })).result;
  await expect.poll(pages, WITHIN).toEqual(['Bob 1', 'Bob 2']);
  const updateInvocationBody = { name: 'limit', input: { value: 3 } };
  expect(await executions.updateWorkflowExecution({ executionId, updateInvocationBody })).toMatchObject({ result: 10 });
  const signalInvocationBody = { name: 'approve', input: { by: 'Eve' } };
  await executions.signalWorkflowExecution({ executionId, signalInvocationBody });
  await following;
  expect(followed).toEqual([
    'WORKFLOW_EXECUTION_STARTED',
    ...[1, 2].flatMap(() => [
      'ACTIVITY_TASK_STARTED',
      'CUSTOM_TASK_STARTED',
      'CUSTOM_TASK_IN_PROGRESS',
      'CUSTOM_TASK_COMPLETED',
      'ACTIVITY_TASK_COMPLETED',
    ]),
    'WORKFLOW_EXECUTION_COMPLETED',
  ]);
  expect(await executions.getWorkflowExecution({ executionId })).toMatchObject({
    status: 'COMPLETED',
    result: { pages: ['Bob 1', 'Bob 2'], approved_by: 'Eve' },
  });
  for (const key of ['name:Bob', 'stage:printing'])
    expect((await runs.listRuns({ searchKey: [key] })).result.executions).toMatchObject([{ executionId }]);

  const both = await execute('print-both', { executionId: 'both', input: { name: 'Kid' }, waitForResult: true });
  expect(both).toMatchObject({ result: { result: 'Kid 1' } });
  const tree = (await runs.listRuns({ rootExecutionId: 'both' })).result.executions;
  expect(tree.map(({ workflowName }) => workflowName).sort()).toEqual(['print-both', 'print-once']);

  const jammed = execute('print-jammed', { executionId: 'jam', input: { name: 'Jam' }, waitForResult: true });
  await expect(jammed).rejects.toMatchObject({ statusCode: 409, body: expect.stringContaining('Jam is stuck') });

  await execute('print-never', { executionId: 'never' });
  const types = async () =>
    (await executions.getWorkflowExecutionHistory({ executionId: 'never' })) as { events: { eventType: string }[] };
  await expect
    .poll(async () => (await types()).events.map(({ eventType }) => eventType), WITHIN)
    .toContain('EVENT_TYPE_TIMER_STARTED');
  await executions.cancelWorkflowExecution({ executionId: 'never' });
  await expect.poll(() => status('never'), WITHIN).toBe('CANCELED');
}
