import type { Token } from 'node-llama-cpp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inFull } from '../../../test/support/in-full.ts';
import { createLog } from '../../kit/base/log.ts';
import type { Delta } from '../engine.ts';
import { ask, never, read } from './ask-for-tests.ts';
import { openBareModel } from './bare-model-for-tests.ts';
import { createLlamaEngine, type LlamaEngine } from './index.ts';
import { readTokenBytes } from './output/token-bytes.ts';
import { chatWeights, weightsNeeded } from './weights-for-tests.ts';

const TEMPLATE =
  '<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n';
const question = 'What is the capital of France?';

inFull.given(chatWeights).describe(weightsNeeded, { timeout: 240_000 }, () => {
  let engine: LlamaEngine;

  beforeAll(async () => {
    engine = createLlamaEngine({
      name: 'small',
      file: chatWeights ?? '',
      log: createLog('silent'),
      contextTokens: 256,
      sequences: 2,
    });
    await engine.warm();
  });
  afterAll(() => engine.close());

  test('log probabilities are those of the bare runtime over the whole vocabulary', async () => {
    const { choices } = await engine.complete(
      ask(question, { maxTokens: 6, logprobs: 5, promptLogprobs: 1, temperature: 1, topK: 1, repetitionPenalty: 1.3 }),
      never,
    );
    const { text = '', logprobs = [], promptLogprobs = [] } = choices[0] ?? {};
    expect(logprobs).toHaveLength(6);
    expect(logprobs.map(({ token }) => token).join('')).toBe(text);
    expect(Buffer.from(logprobs.flatMap(({ bytes }) => bytes)).toString()).toBe(text);
    const { tokens, chances } = await bareChances();
    expect(promptLogprobs.map(({ token_id }) => token_id)).toEqual(tokens.slice(1));
    const [first] = logprobs;
    const likeliest = [...chances].sort((a, b) => b[1] - a[1]).slice(0, 5);
    expect(first?.token_id).toBe(likeliest[0]?.[0]);
    expect(first?.top_logprobs?.map(({ token_id }) => token_id)).toEqual(likeliest.map(([token]) => token));
    for (const [index, [, chance]] of likeliest.entries())
      expect(first?.top_logprobs?.[index]?.logprob).toBeCloseTo(Math.log(chance), 1);
  });

  test('a bias forbids a token or forces one, also one that is not in the vocabulary harms nothing', async () => {
    const plain = await engine.complete(ask(question, { maxTokens: 1, logprobs: 2 }), never);
    const [first] = plain.choices[0]?.logprobs ?? [];
    const [likeliest, second] = (first?.top_logprobs ?? []).map(({ token_id }) => token_id ?? -1);
    const answerWith = async (logitBias: Record<string, number>, temperature = 0) => {
      const request = ask(question, { maxTokens: 1, logprobs: 0, temperature, logitBias });
      return (await engine.complete(request, never)).choices[0]?.logprobs?.[0]?.token_id;
    };
    expect(first?.token_id).toBe(likeliest);
    expect(await answerWith({ [`${likeliest}`]: -100 })).toBe(second);
    expect(await answerWith({ [`${likeliest}`]: -100, 42: 100 })).toBe(42);
    expect(await answerWith({ 42: 100 }, 1)).toBe(42);
    expect(await answerWith({ 4000000000: 100 })).toBe(likeliest);
    // It is of one request.
    expect(await answerWith({})).toBe(likeliest);
  });

  test('a prompt is counted as it is billed, tools and format included, and nothing is written', async () => {
    const tool = { name: 'weather', description: 'Tells the weather.', parameters: { type: 'object' }, strict: false };
    for (const request of [
      ask(question),
      ask('Hi', { tools: [tool] }),
      ask('Hi', { format: { type: 'json_object' } }),
    ]) {
      const counted = await engine.countPrompt?.(request, never);
      const { usage } = await engine.complete({ ...request, maxTokens: 1 }, never);
      expect(counted).toBe(usage.promptTokens);
    }
    expect(await engine.countPrompt?.(ask(question, { choices: 3, minTokens: 4, promptLogprobs: 1 }), never)).toBe(37);
    await expect(engine.countPrompt?.(ask('word '.repeat(400)), never)).rejects.toMatchObject({
      code: 'prompt_too_long',
    });
  });

  test('a prompt and an answer are measured alike, and a cached prompt too', async () => {
    const answered = await engine.complete(ask(question, { maxTokens: 4, logprobs: 0 }), never);
    const { text = '', logprobs = [] } = answered.choices[0] ?? {};
    const messages = [
      { role: 'user' as const, content: question },
      { role: 'assistant' as const, content: text, toolCalls: [], prefix: true },
    ];
    const request = ask('', { messages, maxTokens: 0, promptLogprobs: 0 });
    const { choices, usage } = await engine.complete(request, never);
    const prompt = choices[0]?.promptLogprobs ?? [];
    expect(usage).toMatchObject({ completionTokens: 0, cachedTokens: 0 });
    expect(choices[0]).toMatchObject({ text: '', finish: 'length' });
    for (const [index, { token_id, logprob }] of prompt.slice(-4).entries()) {
      expect(token_id).toBe(logprobs[index]?.token_id);
      expect(logprob).toBeCloseTo(logprobs[index]?.logprob ?? 0, 1);
    }
  });

  test('a token that only a grammar allows has its small chance', async () => {
    const schema = {
      type: 'object',
      properties: { zq: { enum: ['ж'] } },
      required: ['zq'],
      additionalProperties: false,
    };
    const { choices } = await engine.complete(
      ask(question, { format: { type: 'json_schema', name: 'odd', schema, strict: true }, logprobs: 1 }),
      never,
    );
    const { text = '', logprobs = [] } = choices[0] ?? {};
    expect(Buffer.from(logprobs.flatMap(({ bytes }) => bytes)).toString()).toBe(text);
    expect(Math.min(...logprobs.map(({ logprob }) => logprob))).toBeLessThan(-4);
    expect(Math.min(...logprobs.map(({ logprob }) => logprob))).toBeGreaterThan(-100);
  });

  test('a stream has each log probability once, with the text of its token, and none that was not asked for', async () => {
    const seen: Delta[] = [];
    const request = ask('Count from one to ten.', { maxTokens: 8, logprobs: 0, choices: 2, stop: ['zzz'] });
    await read(engine, request, never, (deltas) => seen.push(...deltas));
    for (const choice of [0, 1]) {
      const own = seen.filter((delta) => delta.kind !== 'usage' && delta.choice === choice);
      const text = own.map((delta) => (delta.kind === 'text' ? delta.text : '')).join('');
      const tokens = own.flatMap((delta) => ('logprobs' in delta ? (delta.logprobs ?? []) : []));
      expect(tokens.map(({ token }) => token).join('')).toBe(text);
      expect(tokens.every((one) => !('top_logprobs' in one))).toBe(true);
    }
    const plain = await engine.complete(ask(question, { maxTokens: 2 }), never);
    expect(plain.choices[0]).not.toHaveProperty('logprobs');
  });

  test('an answer has at least as many tokens as it must, whatever would end it', async () => {
    const short = ask('Say yes.', { maxTokens: 40 });
    const { choices } = await engine.complete(short, never);
    const stop = [choices[0]?.text.slice(0, 2) ?? ''];
    const stopped = await engine.complete({ ...short, stop }, never);
    expect(stopped.choices[0]?.text).toBe('');
    const { usage } = await engine.complete({ ...short, stop, minTokens: 12 }, never);
    expect(usage.completionTokens).toBeGreaterThanOrEqual(12);
  });

  test('the likeliest token alone is chosen with top_k 1, and a penalty keeps words from coming back', async () => {
    const words = (text = '') => text.toLowerCase().match(/[a-z]+/g) ?? [];
    const story = ask('Repeat the word cat many times.', { maxTokens: 24 });
    const greedy = await engine.complete(story, never);
    const hot = await engine.complete({ ...story, temperature: 1.5, topK: 1, seed: 5 }, never);
    expect(hot.choices[0]?.text).toBe(greedy.choices[0]?.text);
    const repeated = await engine.complete({ ...story, repetitionPenalty: 2 }, never);
    const share = (all: string[]) => new Set(all).size / all.length;
    expect(share(words(repeated.choices[0]?.text))).toBeGreaterThan(share(words(greedy.choices[0]?.text)));
  });
});

test('bytes that are no characters are read from the entry of the vocabulary', () => {
  expect(readTokenBytes('<0xF0>')).toEqual([0xf0]);
  expect(readTokenBytes('ðŁ')).toEqual([0xf0, 0x9f]);
  expect(readTokenBytes('日')).toBeUndefined();
});

/** The chances of the token after the question, of every token there is. */
async function bareChances() {
  const { llama, model } = await openBareModel();
  const context = await model.createContext({ contextSize: 256 });
  const tokens = model.tokenize(TEMPLATE, true);
  const last = tokens.at(-1) as Token;
  const results = await context
    .getSequence()
    .controlledEvaluate([
      ...tokens.slice(0, -1),
      [last, { generateNext: { probabilities: true, options: { temperature: 0 } } }],
    ]);
  const chances = new Map(results.at(-1)?.next.probabilities ?? []);
  await llama.dispose();
  return { tokens, chances };
}
