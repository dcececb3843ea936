import { availableParallelism } from 'node:os';
import type { ChatRequest, EngineTool, JsonSchema } from '../../../src/engines/engine.ts';
import { ask, never } from '../../../src/engines/llama/ask-for-tests.ts';
import { createLlamaEngine, type LlamaEngine } from '../../../src/engines/llama/index.ts';
import { chatWeightsForTests } from '../../../src/engines/weights/weights-for-tests.ts';
import { createLog } from '../../../src/kit/base/log.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { median } from '../statistics.ts';

const SPEED_RATIO_MIN = 1.3;
const STREAMS = 8;
const STREAMS_RATIO_MIN = 3;
const FIRST_TOKEN_MS_MAX = 50;
const PREFIX_TOKENS = 1000;
const CONTEXT_TOKENS = 2048;

const closed = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const text = (maxLength: number): JsonSchema => ({ type: 'string', maxLength });

const WEATHER: EngineTool = {
  name: 'get_weather',
  description: 'The weather of a city',
  strict: true,
  parameters: closed({
    city: text(40),
    country: text(40),
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    days: { type: 'integer', minimum: 1, maximum: 14 },
  }),
};
const EVENT: EngineTool = {
  name: 'create_event',
  description: 'Puts an event into the calendar',
  strict: true,
  parameters: closed({
    title: text(60),
    date: { type: 'string', format: 'date' },
    attendees: { type: 'array', items: text(40), maxItems: 3 },
    location: text(40),
    is_online: { type: 'boolean' },
  }),
};
const PERSON = closed({
  name: text(40),
  age: { type: 'integer', minimum: 0, maximum: 120 },
  email: text(60),
  address: closed({ street: text(60), city: text(40), postal_code: text(10) }),
  is_customer: { type: 'boolean' },
});

const call = { toolChoice: 'any' as const, parallelToolCalls: false, maxTokens: 200 };
const CALLS = [
  ask('What will the weather be in Lisbon, Portugal, over the next five days, in celsius?', {
    ...call,
    tools: [WEATHER, EVENT],
  }),
  ask('Put "Budget review" with Anna Keller and Tom Reed on 2026-03-14 in Room 12 into my calendar.', {
    ...call,
    tools: [EVENT],
  }),
];
const OBJECTS = [
  ask('Extract the person: Maria Lopez, 34, maria.lopez@example.com, 12 Harbour Street, 4000 Porto, a customer.', {
    format: { type: 'json_schema', name: 'person', schema: PERSON, strict: true },
    maxTokens: 200,
  }),
  ask('Extract the weather request: Oslo in Norway for a week, in celsius.', {
    format: { type: 'json_schema', name: 'weather', schema: WEATHER.parameters, strict: true },
    maxTokens: 200,
  }),
];
const STORY = 'Write a very long story about a lighthouse, in ten chapters.';

type Sides = { plain: LlamaEngine; ours: LlamaEngine };

export const embeddedAnswers: Benchmark = {
  name: 'embedded-answers',
  summary:
    'the default model against one token a step: tool calls, JSON, eight streams; the first token after a known prefix',
  async run({ quick, progress }) {
    const weights = await chatWeightsForTests();
    if (!weights) throw new Error('the weights of the default model are not here, and no source gives them');
    const { file } = weights;
    const open = (isPlain: boolean) =>
      createLlamaEngine({
        ...(isPlain ? { isPlain, flashAttention: false, keepsWeights: true } : {}),
        ...{ name: 'bench', file, contextTokens: CONTEXT_TOKENS, sequences: STREAMS },
        threads: Math.max(1, availableParallelism() - 1),
        log: createLog('silent'),
      });
    const sides = { plain: open(true), ours: open(false) };
    try {
      await Promise.all([sides.plain.warm(), sides.ours.warm()]);
      const rounds = quick ? 1 : 2;
      const parts: [name: string, run: () => Promise<Figure>][] = [
        ['tool calls', () => compare(sides, CALLS, rounds, 'tool calls', SPEED_RATIO_MIN)],
        ['JSON', () => compare(sides, OBJECTS, rounds, 'JSON', SPEED_RATIO_MIN)],
        ['text', () => compare(sides, [ask(STORY, { maxTokens: 64 })], rounds, 'text')],
        ['eight streams', () => compareStreams(sides, rounds, quick ? 16 : 48)],
        ['a known prefix', () => measureFirstToken(sides.ours, quick ? 3 : 9, false)],
        ['a new question after it', () => measureFirstToken(sides.ours, quick ? 3 : 9, true)],
      ];
      const figures: Figure[] = [];
      for (const [name, run] of parts) {
        progress(`embedded-answers: ${name}`);
        figures.push(await run());
      }
      return figures;
    } finally {
      await Promise.all([sides.plain.close(), sides.ours.close()]);
    }
  },
};

/** Tokens per second of whole answers to a prompt that is known already, so that reading it does not count. */
async function speedOf(engine: LlamaEngine, request: ChatRequest): Promise<number> {
  const from = performance.now();
  const { usage } = await engine.complete(request, never);
  return (usage.completionTokens / (performance.now() - from)) * 1000;
}

async function compare(
  { plain, ours }: Sides,
  requests: ChatRequest[],
  rounds: number,
  name: string,
  min?: number,
): Promise<Figure> {
  const speeds: { plain: number; ours: number }[] = [];
  let same = 0;
  for (const request of requests) {
    const [before, now] = [await plain.complete(request, never), await ours.complete(request, never)];
    if (shape(before) === shape(now)) same++;
    for (let round = 0; round < rounds; round++) {
      speeds.push({ plain: await speedOf(plain, request), ours: await speedOf(ours, request) });
      const second = { ours: await speedOf(ours, request), plain: await speedOf(plain, request) };
      speeds.push(second);
    }
  }
  const [a, b] = [median(speeds.map((pair) => pair.ours)), median(speeds.map((pair) => pair.plain))];
  return {
    name: `tokens/s of one stream vs one token a step, ${name}`,
    value: median(speeds.map((pair) => pair.ours / pair.plain)),
    unit: '×',
    ...(min === undefined ? {} : { target: { at: '≥', value: min } }),
    note: `${a.toFixed(1)} vs ${b.toFixed(1)} tokens/s; ${same} of ${requests.length} answers have the same text`,
  };
}

/** What is said, without the ids of calls. */
function shape({ choices }: Awaited<ReturnType<LlamaEngine['complete']>>): string {
  return JSON.stringify(choices.map(({ text, toolCalls }) => [text, toolCalls.map(({ id: _, ...rest }) => rest)]));
}

/** Eight different answers together, by turns with one alone that is made token by token. */
async function compareStreams({ plain, ours }: Sides, rounds: number, maxTokens: number): Promise<Figure> {
  const one = (engine: LlamaEngine) => speedOf(engine, ask(STORY, { maxTokens }));
  const all = async (engine: LlamaEngine) => {
    const requests = Array.from({ length: STREAMS }, (_, i) => ask(`${STORY} Its keeper is ${20 + i}.`, { maxTokens }));
    await Promise.all(requests.map((request) => engine.complete({ ...request, maxTokens: 1 }, never)));
    const from = performance.now();
    const answers = await Promise.all(requests.map((request) => engine.complete(request, never)));
    const tokens = answers.reduce((sum, { usage }) => sum + usage.completionTokens, 0);
    return (tokens / (performance.now() - from)) * 1000;
  };
  const ratios: { now: number; before: number; alone: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const alone = await one(plain);
    const together = await all(ours);
    ratios.push({ now: together / alone, before: (await all(plain)) / alone, alone: together / (await one(ours)) });
  }
  const before = median(ratios.map((ratio) => ratio.before));
  const foreseeing = median(ratios.map((ratio) => ratio.alone));
  return {
    name: `tokens/s of ${STREAMS} streams vs one with one token a step`,
    value: median(ratios.map(({ now }) => now)),
    unit: '×',
    target: { at: '≥', value: STREAMS_RATIO_MIN },
    note: `${before.toFixed(2)} × without flash attention; ${foreseeing.toFixed(2)} × of one that looks ahead`,
  };
}

/** After long instructions that the workspace has sent before: all of the prompt is known, or each question is new. */
async function measureFirstToken(engine: LlamaEngine, rounds: number, isNewQuestion: boolean): Promise<Figure> {
  const instructions = 'The keeper counted the waves and wrote each number down. '.repeat(92);
  const times: number[] = [];
  let read = 0;
  for (let round = -1; round < rounds; round++) {
    const hour = isNewQuestion ? 20 + round : 10;
    const request: ChatRequest = { ...ask(`How many in hour ${hour}?`, { maxTokens: 2 }), workspace: 'bench' };
    request.messages.unshift({ role: 'system', content: instructions });
    const from = performance.now();
    let firstAt: number | undefined;
    for await (const deltas of engine.stream(request, never)) {
      firstAt ??= performance.now();
      const usage = deltas.find((delta) => delta.kind === 'usage')?.usage;
      if (!usage || round < 0) continue;
      const { promptTokens, cachedTokens = 0 } = usage;
      if (cachedTokens < PREFIX_TOKENS) throw new Error(`only ${cachedTokens} of ${promptTokens} tokens were known`);
      read = promptTokens - cachedTokens;
    }
    if (round >= 0) times.push((firstAt ?? from) - from);
  }
  return {
    name: `first token after a known prefix of ${PREFIX_TOKENS} tokens${isNewQuestion ? ' and a new question' : ''}`,
    value: median(times),
    unit: 'ms',
    ...(isNewQuestion ? {} : { target: { at: '≤', value: FIRST_TOKEN_MS_MAX } }),
    note: `${read} tokens are read, slowest ${Math.max(...times).toFixed(0)} ms`,
  };
}
