import type { Token } from 'node-llama-cpp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { inFull } from '../../../test/support/in-full.ts';
import { createLog } from '../../kit/base/log.ts';
import type { ChatRequest, EngineTool, JsonSchema } from '../engine.ts';
import { ask, never, read } from './ask-for-tests.ts';
import { openBareModel } from './bare-model-for-tests.ts';
import { createLlamaEngine, type LlamaEngine } from './index.ts';
import { chatWeights, weightsNeeded } from './weights-for-tests.ts';

const log = createLog('silent');
// Small, because a test that fills it pays for every token.
const CONTEXT = 512;
const ENDLESS_TOKENS = 60;
/** An answer that cannot end before its limit. */
const endless = ask('Count.', {
  format: {
    type: 'json_schema',
    name: 'numbers',
    schema: { type: 'array', items: { type: 'integer' }, minItems: 400 },
    strict: true,
  },
  maxTokens: ENDLESS_TOKENS,
});
const sentence = 'The lighthouse keeper counted the waves and wrote each number into a book. ';
const longStory = sentence.repeat(24);

inFull.given(chatWeights).describe(weightsNeeded, { timeout: 240_000 }, () => {
  let engine: LlamaEngine;

  beforeAll(async () => {
    engine = createLlamaEngine({ name: 'small', file: chatWeights ?? '', log, contextTokens: CONTEXT });
    await engine.warm();
  });
  afterAll(() => engine.close());

  test('an answer is what the bare runtime says, with exact usage', async () => {
    const { choices, usage } = await engine.complete(ask('What is the capital of France?'), never);
    expect(choices).toStrictEqual([{ text: await bareAnswer(24), toolCalls: [], finish: 'length' }]);
    // The template's default system message, the question and the markers around them.
    expect(usage).toStrictEqual({ promptTokens: 37, completionTokens: 24, cachedTokens: 0 });
    expect(engine.state()).toStrictEqual({ kind: 'ready' });
    const device = { kind: 'cpu', names: [], memoryBytes: null, freeBytes: null, layers: 31, gpuLayers: 0, note: null };
    expect(engine.device?.()).toStrictEqual(device);
    expect(engine.facts()).toStrictEqual({
      ...{ contextTokens: CONTEXT, trainedContextTokens: 8192, canFillIn: false },
      device,
    });
  });

  test('the same seed gives the same text, streamed or whole', async () => {
    const request = ask('Invent a name for a boat.', { temperature: 1, seed: 42, maxTokens: 16 });
    const first = await engine.complete(request, never);
    const second = await engine.complete(request, never);
    const streamed = await read(engine, request, never);
    expect(second.choices[0]?.text).toBe(first.choices[0]?.text);
    expect(streamed.text).toBe(first.choices[0]?.text);
    const other = await engine.complete({ ...request, seed: 43 }, never);
    expect(other.choices[0]?.text).not.toBe(first.choices[0]?.text);
  });

  test('the tokens of an answer are bounded', async () => {
    const { choices, usage } = await engine.complete(ask('Tell a long story.', { maxTokens: 5 }), never);
    expect(choices[0]?.finish).toBe('length');
    expect(usage.completionTokens).toBe(5);
  });

  test('a stop string ends the answer, also inside and across tokens', async () => {
    const whole = await engine.complete(ask('Count from one to ten.', { maxTokens: 40 }), never);
    const text = whole.choices[0]?.text ?? '';
    const stop = text.slice(7, 15);
    const { choices } = await engine.complete(ask('Count from one to ten.', { maxTokens: 40, stop: [stop] }), never);
    expect(choices[0]).toMatchObject({ text: text.slice(0, text.indexOf(stop)), finish: 'stop' });
  });

  test('a prefix is continued and not repeated', async () => {
    const messages = [
      { role: 'user' as const, content: 'What is the capital of France?' },
      { role: 'assistant' as const, content: 'The capital of France is', toolCalls: [], prefix: true },
    ];
    const { choices } = await engine.complete(ask('', { messages, maxTokens: 4 }), never);
    expect(choices[0]?.text).toMatch(/^ Paris/);
  });

  test('JSON mode and JSON schemas are kept', async () => {
    const object = await engine.complete(
      ask('Describe a cat.', { format: { type: 'json_object' }, maxTokens: 200 }),
      never,
    );
    expect(z.record(z.string(), z.unknown()).safeParse(JSON.parse(object.choices[0]?.text ?? '')).success).toBe(true);
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string', maxLength: 12 },
        age: { type: 'integer', minimum: 0, maximum: 30 },
        colours: { type: 'array', items: { enum: ['black', 'white', 'red'] }, minItems: 1, maxItems: 2 },
      },
      required: ['name', 'age', 'colours'],
    };
    for (const seed of [1, 2, 3]) {
      const format = { type: 'json_schema' as const, name: 'cat', schema, strict: true };
      const { choices } = await engine.complete(
        ask('Invent a cat.', { format, seed, temperature: 1.2, maxTokens: 200 }),
        never,
      );
      expect(valid(schema, choices[0]?.text ?? ''), choices[0]?.text).toBe(true);
    }
  });

  test.each(schemas())('a forced call fits its schema: %s', async (_, parameters) => {
    const tool: EngineTool = { name: 'do_it', description: 'Does it.', parameters, strict: true };
    const choose = async (seed: number) => {
      const { choices } = await engine.complete(
        ask('Please do it in three words.', {
          tools: [tool],
          toolChoice: 'any',
          parallelToolCalls: false,
          maxTokens: 256,
          temperature: 1,
          seed,
        }),
        never,
      );
      return choices[0];
    };
    // A small model may talk on in free text until it is cut. Which seeds do depends on the processor.
    let choice = await choose(5);
    for (let seed = 6; choice?.finish === 'length' && seed < 12; seed++) choice = await choose(seed);
    expect(choice).toMatchObject({ text: '', finish: 'tool_calls' });
    const call = choice?.toolCalls[0];
    expect(call).toMatchObject({ id: expect.stringMatching(/^[a-zA-Z0-9]{9}$/), name: 'do_it' });
    expect(valid(parameters, call?.arguments ?? ''), call?.arguments).toBe(true);
  });

  test('a call that is cut is no call', async () => {
    const tool: EngineTool = {
      name: 'do_it',
      description: '',
      parameters: { type: 'object', required: ['a'] },
      strict: true,
    };
    const { choices } = await engine.complete(ask('Do it.', { tools: [tool], toolChoice: 'any', maxTokens: 8 }), never);
    expect(choices[0]).toStrictEqual({ text: '', toolCalls: [], finish: 'length' });
  });

  test('three choices come from one prompt, and the next request reads only what is new', async () => {
    const request = ask(`${longStory} Whose book is it?`, { choices: 3, temperature: 1, seed: 1, maxTokens: 4 });
    const first = await engine.complete(request, never);
    expect(first.choices).toHaveLength(3);
    expect(first.usage.promptTokens).toBeGreaterThan(300);
    expect(first.usage.cachedTokens).toBeLessThan(40);
    expect(first.usage.completionTokens).toBeLessThanOrEqual(12);
    const again = await engine.complete({ ...request, choices: 1 }, never);
    expect(again.usage.cachedTokens).toBe(first.usage.promptTokens - 1);
  });

  test('an answer ends when the context is full, and a prompt beyond it is refused with the counts', async () => {
    const schema = { type: 'array', items: { type: 'integer' }, minItems: 400 };
    const format = { type: 'json_schema' as const, name: 'long', schema, strict: true };
    // Reading is cheap and writing is not: the prompt fills most of the context.
    const { maxTokens: _, ...unbounded } = ask(sentence.repeat(27), { format });
    const full = await engine.complete(unbounded, never);
    expect(full.choices[0]?.finish).toBe('model_length');
    expect(full.usage.promptTokens + full.usage.completionTokens).toBe(CONTEXT);
    await expect(engine.complete(ask(longStory.repeat(6)), never)).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/prompt has \d{4} tokens.*512 tokens/),
    });
    await expect(engine.complete({ ...unbounded, maxTokens: 1000 }, never)).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/prompt has \d{3} tokens and max_tokens asks for 1000/),
    });
  });

  test('megabytes of prompt are refused uncounted, so that no stream waits for the counting', async () => {
    await expect(engine.complete(ask(' '.repeat(8_000_000)), never)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('far too many tokens'),
    });
  });

  test('a model without the tokens for it does not fill in the middle', async () => {
    const request = { prompt: 'def f(', suffix: 'return x', choices: 1, stop: [] };
    await expect(engine.completeFim?.(request, never)).rejects.toMatchObject({ status: 400 });
  });

  test('schemas and prompts that are made to stall hold up nobody, and are gone when their sender leaves', async () => {
    const tenant = { organization: 'attacker', key: 'a' };
    const schemas = ['(a?){500}'.repeat(12), '([ab]?){500}([bc]?){500}', '(a|b)*a(a|b){14}'].map((pattern) => ({
      type: 'object',
      properties: { text: { type: 'string', pattern } },
      required: ['text'],
    }));
    const requests = [
      ...schemas.map(
        (schema): Partial<ChatRequest> => ({ format: { type: 'json_schema', name: 'x', schema, strict: true } }),
      ),
      { messages: [{ role: 'user' as const, content: ' '.repeat(60_000) }] },
    ];
    const leave = new AbortController();
    const attacks = requests.map((changes) =>
      read(engine, ask('a', { ...changes, maxTokens: 300, tenant }), leave.signal),
    );
    const neighbour = ask('What is the capital of France?', {
      maxTokens: 8,
      tenant: { organization: 'other', key: 'b' },
    });
    // Without limits it would wait for minutes.
    expect(await read(engine, neighbour, AbortSignal.timeout(30_000))).toMatchObject({ tokens: 8 });
    const [first, second, third] = (await Promise.all(attacks.slice(1))).map(({ error }) => error);
    const refused = { items: [{ type: 'grammar_too_expensive', msg: expect.stringContaining('simpler patterns') }] };
    expect([first, second]).toMatchObject([refused, refused]);
    expect(third).toMatchObject({ status: 400, message: expect.stringContaining('more than') });
    leave.abort();
    await attacks[0];
    expect((await engine.complete(ask('Hi', { maxTokens: 1 }), never)).choices).toHaveLength(1);
    // Once refused it does not reach the process again.
    const again = read(engine, ask('a', requests[1]), never);
    expect((await again).error).toBe(first);
  });

  test('leaving frees the sequence at once', async () => {
    // All sequences are taken by answers of the same length; one is left, and who waits for it overtakes the others.
    const ended: string[] = [];
    const staying = Array.from({ length: 7 }, () => read(engine, endless, never).then(() => ended.push('stayed')));
    const leave = new AbortController();
    const left = await read(engine, endless, leave.signal, () => leave.abort());
    expect(left.error).toMatchObject({ name: 'AbortError' });
    await engine.complete(ask('Hi', { maxTokens: 1 }), never);
    ended.push('came');
    await Promise.all(staying);
    expect(ended[0]).toBe('came');
  });

  test('eight streams run together and none is kept behind', async () => {
    const texts = Array.from({ length: 8 }, () => '');
    let whenFirstEnded: string[] | undefined;
    const streams = texts.map(async (_, index) => {
      const result = await read(engine, endless, never, (deltas) => {
        for (const delta of deltas) if (delta.kind === 'text') texts[index] += delta.text;
      });
      whenFirstEnded ??= [...texts];
      expect(result).toMatchObject({ tokens: ENDLESS_TOKENS });
      expect(result.error).toBeUndefined();
    });
    await Promise.all(streams);
    const shares = texts.map((text, index) => (whenFirstEnded?.[index]?.length ?? 0) / text.length);
    expect(Math.min(...shares)).toBeGreaterThan(0.7);
  });
});

/** The same question put to node-llama-cpp itself, the most likely token each time. */
async function bareAnswer(count: number): Promise<string> {
  const { model } = await openBareModel();
  const context = await model.createContext({ contextSize: 256, threads: 1 });
  const system = 'You are a helpful AI assistant named SmolLM, trained by Hugging Face';
  const prompt = `<|im_start|>system\n${system}<|im_end|>\n<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n`;
  const tokens: Token[] = [];
  for await (const token of context.getSequence().evaluate(model.tokenize(prompt, true), { temperature: 0 })) {
    if (tokens.push(token) === count) break;
  }
  await context.dispose();
  return model.detokenize(tokens);
}

function valid(schema: JsonSchema, text: string): boolean {
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(JSON.parse(text)).success;
}

function schemas(): [string, JsonSchema][] {
  const place = {
    type: 'object',
    properties: { lat: { type: 'number', minimum: -90, maximum: 90 } },
    required: ['lat'],
  };
  return [
    [
      'enum and integer',
      {
        type: 'object',
        properties: { unit: { enum: ['c', 'f'] }, days: { type: 'integer', minimum: 1, maximum: 14 } },
        required: ['unit', 'days'],
      },
    ],
    [
      'pattern',
      { type: 'object', properties: { code: { type: 'string', pattern: '^[A-Z]{3}-[0-9]{2}$' } }, required: ['code'] },
    ],
    [
      'anyOf',
      {
        type: 'object',
        properties: { to: { anyOf: [{ type: 'string', maxLength: 20 }, { type: 'null' }] } },
        required: ['to'],
      },
    ],
    [
      'references',
      {
        type: 'object',
        properties: { from: { $ref: '#/$defs/Place' }, to: { $ref: '#/$defs/Place' } },
        required: ['from', 'to'],
        $defs: { Place: place },
      },
    ],
    ['no properties', { type: 'object', properties: {}, additionalProperties: false }],
    [
      'arrays',
      {
        type: 'object',
        properties: {
          tags: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 8 }, minItems: 2, maxItems: 3 },
        },
        required: ['tags'],
      },
    ],
    ['free text', { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }],
  ];
}
