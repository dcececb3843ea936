import { afterAll, beforeAll, expect, test } from 'vitest';
import { inFull } from '../../../test/support/in-full.ts';
import { createLog } from '../../kit/base/log.ts';
import type { ChatRequest, EngineTool } from '../engine.ts';
import { ask, never } from './ask-for-tests.ts';
import { createLlamaEngine, type LlamaEngine } from './index.ts';
import { chatWeights, weightsNeeded } from './weights-for-tests.ts';

const closed = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const weather: EngineTool = {
  name: 'get_weather',
  description: 'The weather of a city',
  strict: true,
  parameters: closed({
    city: { type: 'string', maxLength: 30 },
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    days: { type: 'integer', minimum: 1, maximum: 14 },
  }),
};
const person = closed({
  name: { type: 'string', maxLength: 30 },
  age: { type: 'integer', minimum: 0, maximum: 120 },
  is_customer: { type: 'boolean' },
});
const extract = 'Extract the person: Maria Lopez, 34 years old, a customer.';

const QUESTIONS: [name: string, request: ChatRequest][] = [
  [
    'a tool call',
    // One call: whether a small model adds a second one may be a matter of the last bits.
    ask('The weather in Lisbon for five days?', {
      tools: [weather],
      toolChoice: 'any',
      parallelToolCalls: false,
      maxTokens: 80,
    }),
  ],
  [
    'an object of a schema',
    ask(extract, { format: { type: 'json_schema', name: 'person', schema: person, strict: true }, maxTokens: 80 }),
  ],
  ['any object', ask('The capital of France as a JSON object.', { format: { type: 'json_object' }, maxTokens: 40 })],
  ['a text that repeats itself', ask('Say "the waves of the sea" five times.', { maxTokens: 60 })],
];

// Two engines with real weights: seconds, for the promise that looking ahead changes no answer.
inFull.given(chatWeights).describe(weightsNeeded, { timeout: 240_000 }, () => {
  let plain: LlamaEngine;
  let engine: LlamaEngine;
  beforeAll(async () => {
    const options = { file: chatWeights ?? '', log: createLog('silent'), contextTokens: 512, sequences: 2 };
    plain = createLlamaEngine({ ...options, name: 'plain', isPlain: true });
    engine = createLlamaEngine({ ...options, name: 'ahead' });
    await Promise.all([plain.warm(), engine.warm()]);
  });
  afterAll(() => Promise.all([plain.close(), engine.close()]));

  const answerOf = async (of: LlamaEngine, request: ChatRequest) => {
    const { choices, usage } = await of.complete(request, never);
    const said = choices.map(({ toolCalls, ...rest }) => ({
      ...rest,
      calls: toolCalls.map(({ id: _, ...call }) => call),
    }));
    return { said, tokens: usage.completionTokens };
  };

  test.each(QUESTIONS)('%s is the same with and without looking ahead', async (_, request) => {
    expect(await answerOf(engine, request)).toStrictEqual(await answerOf(plain, request));
  });

  test('the same seed gives the same object twice, and it follows its schema', async () => {
    const [, [, request] = ['', ask('')]] = QUESTIONS;
    const seeded = { ...request, temperature: 1, seed: 7 };
    const first = await answerOf(engine, seeded);
    expect(await answerOf(engine, seeded)).toStrictEqual(first);
    expect(Object.keys(JSON.parse(first.said[0]?.text ?? ''))).toEqual(['name', 'age', 'is_customer']);
  });

  test('a prompt is known to its own workspace only', async () => {
    const request = ask('The keeper counted the waves and wrote each number into a book. '.repeat(8), { maxTokens: 1 });
    const cachedFor = async (workspace: string | undefined) => {
      const asked = workspace === undefined ? request : { ...request, workspace };
      return (await engine.complete(asked, never)).usage.cachedTokens;
    };
    expect(await cachedFor('first')).toBe(0);
    expect(await cachedFor('first')).toBeGreaterThan(100);
    expect(await cachedFor('second')).toBe(0);
    expect(await cachedFor(undefined)).toBe(0);
  });
});
