import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { startWorker, startWorkflows, type Workflows } from '../../src/workflows/workflows-for-tests.ts';
import { call } from '../support/call.ts';
import { sqliteForTests } from '../support/databases.ts';
import { codeBlocks } from './read-markdown.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/workflows-api.md'), 'utf8');

let workflows: Workflows;
beforeAll(async () => {
  workflows = await startWorkflows(sqliteForTests());
  const greet = { input_schema: { type: 'object', properties: { name: { type: 'string' } } } };
  await startWorker(
    workflows.server,
    { workflows: { greet: async (_, input) => `Hello, ${(input as { name: string }).name}` }, steps: {} },
    { greet },
  );
});

it('the examples of the page on the workflow API work as they stand', async () => {
  const blocks = codeBlocks(page, 'sh');
  const answers = [];
  for (const block of blocks) {
    const path = /TRAMONTANE_URL(\/v1\/\S+)"/.exec(block)?.[1] ?? '';
    answers.push(await call(workflows.server, path, { body: JSON.parse(/-d '(.+)'/s.exec(block)?.[1] ?? '') }));
  }
  expect(answers).toMatchObject([
    { status: 200, body: { workflow_name: 'greet', result: 'Hello, Ada' } },
    { status: 201, body: { schedule_id: 'mornings' } },
  ]);
});
