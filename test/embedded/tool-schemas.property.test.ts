import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { readChoice } from '../../src/chat/read-choice-for-tests.ts';
import { smallToolParameters } from '../../src/chat/schema-samples-for-tests.ts';
import { chatWeightsForTests, testModelsDir } from '../../src/engines/weights/weights-for-tests.ts';
import { call } from '../support/call.ts';
import { sqliteForTests } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const weights = await chatWeightsForTests();
const AT_ONCE = 4;
const named = { type: 'function', function: { name: 'do_it' } };

/** Schemas, always the same, each asked for in one of these ways. */
const samples = fc.sample(smallToolParameters, { numRuns: 40, seed: 11 });
const ways = [
  { tool_choice: 'any', max_tokens: 112 },
  { tool_choice: named, max_tokens: 112, stream: true },
  { tool_choice: 'required', max_tokens: 112, stream: true },
  { tool_choice: 'any', max_tokens: 9 },
  { tool_choice: 'auto', max_tokens: 24 },
  { tool_choice: 'any', max_tokens: 14, stream: true },
  { tool_choice: 'none', max_tokens: 8, stream: true },
];

inFull.given(weights).describe('the embedded model', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(sqliteForTests(), {
      environment: { TRAMONTANE_MODELS_DIR: testModelsDir },
      file: {
        models: [{ id: 'tiny', engine: 'llama', weights: 'smollm2-135m-instruct', context: 2048, sequences: AT_ONCE }],
      },
    });
  });

  const counts = { called: 0, cut: 0, refused: 0, silent: 0 };

  async function hold(index: number): Promise<void> {
    const { schema, isChecked } = samples[index] as (typeof samples)[number];
    const way = ways[index % ways.length] as (typeof ways)[number];
    const told = `${JSON.stringify(schema)} ${JSON.stringify(way)}`;
    const answer = await call(server, '/v1/chat/completions', {
      body: {
        ...way,
        model: 'tiny',
        messages: [{ role: 'user', content: 'Please do it.' }],
        tools: [{ type: 'function', function: { name: 'do_it', description: 'Does it.', parameters: schema } }],
        parallel_tool_calls: false,
        temperature: 1,
        random_seed: index,
      },
    });
    if (answer.status === 502) {
      // Only what a grammar cannot express can fail, and then there is no call.
      expect([isChecked, (answer.body as { code: string }).code], told).toEqual([true, 'invalid_tool_call']);
      counts.refused += 1;
      return;
    }
    expect(answer.status, `${told} ${answer.text}`).toBe(200);
    const { calls, finish } = readChoice(answer, way.stream === true);
    for (const made of calls) {
      expect(made.id).toMatch(/^[a-zA-Z0-9]{9}$/);
      expect(made.function.name).toBe('do_it');
      const judge = new Ajv2020({ strict: false, validateFormats: false });
      expect(judge.validate(schema, JSON.parse(made.function.arguments)), `${told} ${made.function.arguments}`).toBe(
        true,
      );
    }
    if (way.tool_choice === 'none') expect(calls).toEqual([]);
    if (finish === 'length') counts.cut += 1;
    else if (calls.length > 0) counts.called += 1;
    else counts.silent += 1;
    if (finish !== 'length') expect(finish, told).toBe(calls.length > 0 ? 'tool_calls' : 'stop');
    if (way.tool_choice !== 'auto' && way.tool_choice !== 'none') expect(finish, told).not.toBe('stop');
  }

  it('keeps the tool-call contract for each generated schema, streamed and not', async () => {
    let next = 0;
    const work = async () => {
      while (next < samples.length) await hold(next++);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(counts.called, JSON.stringify(counts)).toBeGreaterThan(samples.length / 4);
    expect(counts.cut, JSON.stringify(counts)).toBeGreaterThan(samples.length / 10);
  }, 180_000);
});
