import { availableParallelism } from 'node:os';
import { ask, never, type Read, read } from '../../../src/engines/llama/ask-for-tests.ts';
import { createLlamaEngine, type LlamaEngine } from '../../../src/engines/llama/index.ts';
import { chatWeightsForTests } from '../../../src/engines/weights/weights-for-tests.ts';
import { createLog } from '../../../src/kit/base/log.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { type Child, inTemporaryDir, withChildren } from '../children.ts';
import { median } from '../statistics.ts';

const STREAMS = 8;
const CONTEXT_TOKENS = 2048;
const SPEED_RATIO_MIN = 0.9;
const FAIRNESS_MIN = 0.7;
const GAP_SECONDS_MAX = 0.5;
const PROMPT_TOKENS = 1000;
/** Chunks of a stream before the long prompt arrives: by then the stream is well under way. */
const BEFORE_PROMPT = 10;

const QUESTION = 'Write a very long story about a lighthouse, in ten chapters.';
const SYSTEM = 'You are a helpful AI assistant named SmolLM, trained by Hugging Face';
/** The question as the model's chat template renders it, for the runtime that has none. */
const PROMPT = `<|im_start|>system\n${SYSTEM}<|im_end|>\n<|im_start|>user\n${QUESTION}<|im_end|>\n<|im_start|>assistant\n`;

export const embeddedChat: Benchmark = {
  name: 'embedded-chat',
  summary: 'the default model: one stream against node-llama-cpp alone, eight at once, and one beside a long prompt',
  run: ({ quick, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const weights = await chatWeightsForTests();
        if (!weights) throw new Error('the weights of the default model are not here, and no source gives them');
        const threads = Math.max(1, availableParallelism() - 1);
        const engine = createLlamaEngine({
          name: 'bench',
          file: weights.file,
          threads,
          contextTokens: CONTEXT_TOKENS,
          sequences: STREAMS,
          log: createLog('silent'),
        });
        const bare = start(new URL('../processes/generate-bare.ts', import.meta.url), {
          role: 'free',
          args: [weights.file, String(threads)],
        });
        try {
          await engine.warm();
          const tokens = quick ? 32 : 96;
          progress('embedded-chat: one stream');
          const pairs = await compareSingle(engine, bare, quick ? 1 : 5, tokens);
          progress('embedded-chat: eight streams');
          const crowd = await runTogether(engine, tokens);
          progress('embedded-chat: a long prompt beside a stream');
          const gaps = await measureGaps(engine, quick ? 1 : 3);
          return figuresOf(pairs, crowd, gaps, threads);
        } finally {
          await engine.close();
        }
      }),
    ),
};

type Pair = { ours: number; bare: number };

async function compareSingle(engine: LlamaEngine, bare: Child, rounds: number, tokens: number): Promise<Pair[]> {
  const ours = async () => speedOf(await answered(engine, ask(QUESTION, { maxTokens: tokens })));
  const theirs = () => bare.ask<number>('generate', { prompt: PROMPT, tokens });
  await ours();
  await theirs();
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round++) {
    const first = { ours: await ours(), bare: await theirs() };
    const second = { bare: await theirs(), ours: await ours() };
    pairs.push(first, second);
  }
  return pairs;
}

/** Only while all streams run: nothing counts before the last has begun or after the first has ended. */
async function runTogether(engine: LlamaEngine, tokens: number): Promise<{ perSecond: number; fairness: number }> {
  const reads = await Promise.all(
    Array.from({ length: STREAMS }, (_, i) =>
      answered(engine, ask(`${QUESTION} Its keeper is ${20 + i} years old.`, { maxTokens: tokens })),
    ),
  );
  const from = Math.max(...reads.map(({ at }) => at[0] ?? 0));
  const to = Math.min(...reads.map(({ at }) => at.at(-1) ?? 0));
  const counts = reads.map(({ at }) => at.filter((time) => time > from && time <= to).length);
  const perSecond = (counts.reduce((sum, count) => sum + count, 0) / (to - from)) * 1000;
  return { perSecond, fairness: Math.min(...counts) / Math.max(...counts) };
}

/** The longest pause of a stream, in seconds, from the arrival of a long prompt until its first token. */
async function measureGaps(engine: LlamaEngine, rounds: number): Promise<number[]> {
  const gaps: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const leave = new AbortController();
    const { promise: isUnderWay, resolve } = Promise.withResolvers<void>();
    let arrivals = 0;
    const stream = read(engine, ask(QUESTION, { maxTokens: CONTEXT_TOKENS - 500 }), leave.signal, () => {
      if (++arrivals === BEFORE_PROMPT) resolve();
    });
    await isUnderWay;
    const cameAt = performance.now();
    // Each begins differently; otherwise the second would hit the prefix cache.
    const words = `Round ${round}, ${cameAt}. ${'The keeper counted the waves and wrote each number down. '.repeat(90)}`;
    const { usage } = await engine.complete(ask(words, { maxTokens: 1 }), never);
    const wentAt = performance.now();
    if (usage.promptTokens < PROMPT_TOKENS || (usage.cachedTokens ?? 0) > 100)
      throw new Error(`the prompt had ${usage.promptTokens} tokens, ${usage.cachedTokens} of them known`);
    leave.abort();
    const { at } = await stream;
    const times = [cameAt, ...at.filter((time) => time > cameAt && time < wentAt), wentAt];
    gaps.push(Math.max(...times.slice(1).map((time, i) => time - (times[i] ?? 0))) / 1000);
  }
  return gaps;
}

async function answered(engine: LlamaEngine, request: ReturnType<typeof ask>): Promise<Read> {
  const result = await read(engine, request, never);
  if (result.error) throw result.error;
  return result;
}

function speedOf({ at, tokens }: Read): number {
  return ((tokens - 1) / ((at.at(-1) ?? 0) - (at[0] ?? 0))) * 1000;
}

function figuresOf(
  pairs: Pair[],
  crowd: { perSecond: number; fairness: number },
  gaps: number[],
  threads: number,
): Figure[] {
  const single = median(pairs.map(({ ours }) => ours));
  const bare = median(pairs.map((pair) => pair.bare));
  return [
    {
      name: 'tokens/s of one stream vs node-llama-cpp',
      value: median(pairs.map((pair) => pair.ours / pair.bare)),
      unit: '×',
      target: { at: '≥', value: SPEED_RATIO_MIN },
      note: `${single.toFixed(1)} vs ${bare.toFixed(1)} tokens/s on ${threads} thread${threads === 1 ? '' : 's'}`,
    },
    {
      name: `tokens/s of ${STREAMS} streams vs one`,
      value: crowd.perSecond / single,
      unit: '×',
      target: { at: '≥', value: 1 },
      note: `${crowd.perSecond.toFixed(1)} tokens/s together`,
    },
    {
      name: `slowest of ${STREAMS} streams vs the fastest`,
      value: crowd.fairness,
      unit: '×',
      target: { at: '≥', value: FAIRNESS_MIN },
    },
    {
      name: `longest pause of a stream while ${PROMPT_TOKENS} tokens are read`,
      value: Math.max(...gaps),
      unit: 's',
      target: { at: '<', value: GAP_SECONDS_MAX },
      note: `${gaps.length} prompts, the longest pause of each: ${gaps.map((gap) => gap.toFixed(2)).join(', ')} s`,
    },
  ];
}
