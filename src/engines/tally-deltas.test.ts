import { expect, it } from 'vitest';
import type { ChatRequest, Delta, EngineUsage } from './engine.ts';
import { tallyDeltas } from './tally-deltas.ts';

const request: ChatRequest = {
  messages: [{ role: 'user', content: 'hello there' }],
  tools: [],
  toolChoice: 'auto',
  parallelToolCalls: true,
  format: { type: 'text' },
  choices: 1,
  stop: [],
};
const word: Delta = { kind: 'text', choice: 0, text: 'words' };
const reported: EngineUsage = { promptTokens: 40, completionTokens: 2 };

async function* deltas(batches: Delta[][], end?: () => void): AsyncGenerator<Delta[]> {
  yield* batches;
  end?.();
}

/** What is added for a reader that takes at most so many batches. */
async function added(batches: AsyncIterable<Delta[]>, { batchesMax = 9, leave = new AbortController() } = {}) {
  const usages: EngineUsage[] = [];
  const tally = { add: (usage: EngineUsage) => void usages.push(usage), admit: () => undefined };
  try {
    let read = 0;
    for await (const _ of tallyDeltas(batches, request, leave.signal, tally)) if (++read === batchesMax) break;
  } catch {
    // Its usage is what matters here.
  }
  return usages;
}

const fail = () => {
  throw new Error('broken');
};

it('adds the figures of the engine, once', async () => {
  expect(await added(deltas([[word], [{ kind: 'usage', usage: reported }]]))).toEqual([reported]);
});

it('adds an estimate of what arrived for a stream that broke off or whose reader stopped', async () => {
  expect(await added(deltas([[word], [word]], fail))).toEqual([{ promptTokens: 3, completionTokens: 3 }]);
  expect(await added(deltas([[word], [word]]), { batchesMax: 1 })).toEqual([{ promptTokens: 3, completionTokens: 2 }]);
});

it('adds nothing for a refusal, and the prompt for a reader that left before the first word', async () => {
  expect(await added(deltas([], fail))).toEqual([]);
  const leave = new AbortController();
  const left = deltas([], () => {
    leave.abort();
    fail();
  });
  expect(await added(left, { leave })).toEqual([{ promptTokens: 3, completionTokens: 0 }]);
  expect(await added(deltas([[word]]), { leave })).toEqual([]);
});
