import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AnyStep, AnyWorkflow } from '../../packages/workflows/src/definitions.ts';
import { registry } from '../../packages/workflows/src/registry.ts';
import { codeBlocks, readText } from '../../test/docs/read-markdown.ts';
import { sqliteForTests, temporaryDir } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import { ask, begin, endOf, execute, historyOf, listEvents, workFor } from './work-for-tests.ts';

const PACKAGE = resolve(import.meta.dirname, '../../packages/workflows/src/index.ts');
const blocks = ['docs/workflows.md', 'packages/workflows/README.md'].flatMap((page) =>
  codeBlocks(readText(page), 'ts'),
);
const examples = blocks.filter((block) => block.includes('defineWorkflow('));

let server: TestServer;
let upstream: ScriptedUpstream;

/** The pages' examples as files that import the package from where it is. */
async function load(): Promise<{ workflows: AnyWorkflow[]; steps: AnyStep[] }> {
  const dir = join(temporaryDir(), 'examples');
  mkdirSync(dir);
  for (const [at, block] of examples.entries()) {
    const zod = import.meta.resolve('zod');
    const file = join(dir, `example-${at}.ts`);
    writeFileSync(file, block.replace("'@tramontane/workflows'", `'${PACKAGE}'`).replace("'zod'", `'${zod}'`));
    await import(file);
  }
  const { workflows, steps, conflicts } = registry();
  expect(conflicts.filter((words) => !/"(charge|sell)"/.test(words))).toEqual([]);
  return { workflows: [...workflows.values()], steps: [...steps.values()] };
}

beforeAll(async () => {
  upstream = await startUpstream();
  const model = { id: 'small', engine: 'upstream' as const, url: upstream.url, aliases: ['mistral-small-latest'] };
  server = await startTestServer(sqliteForTests(), {
    file: { models: [{ ...model, capabilities: { completion_chat: true, function_calling: true } }] },
  });
  const { workflows, steps } = await load();
  await workFor(server, workflows, steps);
});

/** Answers what a person is asked. */
async function answer(id: string, input: object): Promise<string> {
  await historyOf(server, id, 'waiting_for_input');
  const { body } = await ask(server, id, 'queries', { name: '__get_pending_inputs' });
  const [pending] = (body as { result: { pending_inputs: { task_id: string; label: string }[] } }).result
    .pending_inputs;
  await ask(server, id, 'updates', { name: '__submit_input', input: { task_id: pending?.task_id, input } });
  return pending?.label ?? '';
}

function chunk(delta: object, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason }];
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'scripted', choices })}\n\n`;
}

describe('the examples of the guide', () => {
  it('are all here', () => {
    expect(examples).toHaveLength(6);
  });

  it('sell: charges once and then sleeps', async () => {
    const id = await begin(server, 'sell', { order: 'a', id: 'a', cents: 5 });
    expect(await historyOf(server, id, 'TIMER_STARTED')).toContain('charge');
  });

  it('article: hears a signal, takes an update, answers a query and waits for a person', async () => {
    const id = await begin(server, 'article', { text: 'Some text' });
    await ask(server, id, 'signals', { name: 'remind', input: { who: 'Ann' } });
    const retitled = await ask(server, id, 'updates', { name: 'retitle', input: { title: 'News' } });
    expect(retitled.body).toMatchObject({ result: { ok: true } });
    const state = await ask(server, id, 'queries', { name: 'state' });
    expect(state.body).toMatchObject({ result: 'waits for a reader' });
    expect(await answer(id, { approved: true })).toBe('Publish 9 characters?');
    expect(await endOf(server, id)).toMatchObject({ status: 'COMPLETED', result: { title: 'News', published: true } });
  });

  it('guide: each turn and each call is a step, a person approves, and tokens are in the stream', async () => {
    upstream.answerWith(({ body }, response) => {
      const messages = body.messages as { role: string; content: string }[];
      const call = { id: 'abcdefghi', function: { name: 'weather', arguments: '{"city":"Nice"}' } };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (messages.at(-1)?.role === 'tool') {
        response.write(chunk({ role: 'assistant', content: 'It says: ' }));
        response.write(chunk({ content: messages.at(-1)?.content ?? '' }, 'stop'));
      } else
        response.write(
          chunk(
            { role: 'assistant', content: '', tool_calls: [{ index: 0, type: 'function', ...call }] },
            'tool_calls',
          ),
        );
      response.end('data: [DONE]\n\n');
    });
    const id = await begin(server, 'guide', { question: 'How is Nice?' });
    expect(await answer(id, { approved: true })).toBe('May weather be called with {"city":"Nice"}?');
    expect(await endOf(server, id)).toMatchObject({
      status: 'COMPLETED',
      result: { text: 'It says: Sun over Nice.', turns: 2 },
    });
    const events = await listEvents(server, id);
    const done = events.filter(({ event_type }) => event_type === 'ACTIVITY_TASK_COMPLETED');
    expect(done.map(({ attributes }) => attributes.activity_name)).toEqual(['__model_turn', 'weather', '__model_turn']);
    const tokens = events.filter(({ attributes }) => attributes.custom_task_type === 'token');
    expect(JSON.stringify(tokens)).toContain('It says: ');
  });

  it('trip and delivery run to their ends', async () => {
    expect(await execute(server, 'trip')).toEqual(['train-1', 'hotel-1']);
    expect(await execute(server, 'delivery')).toBe('delivered');
  });
});
