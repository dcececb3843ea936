import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { createBlobs } from '../kit/blobs/index.ts';
import { createEvents } from '../kit/events/index.ts';
import { createPrune } from './service/prune.ts';
import { definitionOf, register, startWorker, startWorkflows, type Workflows } from './workflows-for-tests.ts';

const DAY_MS = 86_400_000;

onEachDatabase('large and secret payloads', (database) => {
  let workflows: Workflows;
  beforeAll(async () => {
    workflows = await startWorkflows(database, {
      workflows: { encryption_keys: [randomBytes(32).toString('base64')] },
    });
    await startWorker(workflows.server, {
      workflows: {
        echo: async (ctx, input) => ctx.step('same', [input]),
        swell: async (ctx) => ctx.step('grow', []),
      },
      steps: { same: ([value]) => value ?? null, grow: () => 'x'.repeat(2 * 1024 * 1024) },
    });
  });
  const dir = () => join(workflows.server.config.dataDir, 'blobs', 'workflows');
  const files = () => readdirSync(dir(), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

  it.runIf(isSqliteOrFull(database))(
    'pass through steps, results, histories and events, and lie sealed on disk',
    async () => {
      const execution_id = randomUUID();
      for (const input of [{ text: 'hunter2' }, { text: 'hunter2'.repeat(60_000) }]) {
        const { status, body } = await workflows.send('POST', '/echo/execute', {
          execution_id,
          input,
          wait_for_result: true,
        });
        expect({ status, body }).toMatchObject({ status: 200, body: { result: input } });
        const history = await workflows.send('GET', `/executions/${execution_id}/history?decode_payloads=true`);
        expect(history.text).toContain(JSON.stringify(input.text));
        const { body: listed } = await workflows.send('GET', `/events/list?workflow_exec_id=${execution_id}`);
        expect(JSON.stringify(listed)).toContain(JSON.stringify(input.text));
      }
      expect(files().length).toBeGreaterThan(0);
      const { db } = workflows.server.platform.database;
      for (const rows of [
        await db.selectFrom('workflow_history').selectAll().execute(),
        await db.selectFrom('workflow_runs').selectAll().execute(),
        await db.selectFrom('events').selectAll().execute(),
      ])
        expect(JSON.stringify(rows)).not.toContain('hunter2');
    },
  );

  it('are found by the keys that their workflow names in its input, sealed or kept apart', async () => {
    const deployment_name = 'filing';
    const definition = definitionOf('filed', { task_queue: deployment_name, search_keys: ['order.id'] });
    await register(workflows.server, [definition], { deployment_name });
    for (const padding of ['', 'x'.repeat(300_000)]) {
      const id = randomUUID();
      const started = await workflows.send('POST', '/filed/execute', { input: { order: { id }, padding } });
      const { executions } = (await workflows.send('GET', `/runs?search_key=order.id:${id}`)).body as {
        executions: { execution_id: string }[];
      };
      const { execution_id } = started.body as { execution_id: string };
      expect(executions.map((run) => run.execution_id)).toEqual([execution_id]);
      await workflows.send('POST', `/executions/${execution_id}/terminate`);
    }
  });

  it('over two megabytes end the execution with a sentence, also where a step made them', async () => {
    const execution_id = randomUUID();
    await workflows.send('POST', '/swell/execute', { execution_id, wait_for_result: true });
    const { body } = await workflows.send('GET', `/events/list?workflow_exec_id=${execution_id}`);
    expect(JSON.stringify(body)).toContain(
      'is over the limit of 2097152. Store the content as a file and pass its id.',
    );
    expect((await workflows.send('GET', `/executions/${execution_id}`)).body).toMatchObject({ status: 'FAILED' });
  });

  it('are forgotten with their executions, a tree at a time, and not before', async () => {
    const opened = await database.open();
    const events = createEvents({ database: opened, now: Date.now });
    const blobs = createBlobs({ dir: dir() });
    const prune = (days: number) =>
      createPrune({ database: opened, events, blobs, retentionDays: 30, now: () => Date.now() + days * DAY_MS })();
    const count = async () => (await opened.db.selectFrom('workflow_runs').select('run_id').execute()).length;
    const before = await count();
    await prune(29);
    expect(await count()).toBe(before);
    expect(files().length).toBeGreaterThan(0);
    await prune(31);
    expect(await count()).toBe(0);
    for (const table of ['workflow_history', 'workflow_search_keys', 'events', 'workflow_payloads'] as const)
      expect([table, await opened.db.selectFrom(table).selectAll().execute()]).toEqual([table, []]);
    expect(files()).toEqual([]);
    await events.stop();
    await opened.close();
  });
});
