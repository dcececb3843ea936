import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../support/databases.ts';
import { startWorker, startWorkflows, type Workflows } from './support.ts';

onEachDatabase('a workflow over HTTP', (database) => {
  let workflows: Workflows;
  beforeAll(async () => {
    workflows = await startWorkflows(database);
    await startWorker(workflows.server, {
      workflows: { greet: async (ctx, input) => ctx.step('say', [(input as { name: string }).name]) },
      steps: { say: ([name]) => `Hello, ${name}` },
    });
  });

  it('is registered, executed, worked on and read', async () => {
    const started = await workflows.send('POST', '/greet/execute', { input: { name: 'Ada' }, wait_for_result: true });
    expect(started.text).toContain('Hello, Ada');
    expect(started.status).toBe(200);
    const { execution_id } = started.body as { execution_id: string };
    const read = await workflows.send('GET', `/executions/${execution_id}`);
    expect(read.body).toMatchObject({ status: 'COMPLETED', result: 'Hello, Ada' });
  });
});
