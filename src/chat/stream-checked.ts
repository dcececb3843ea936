import type { ChatRequest, Completion, Delta, Engine } from '../models/index.ts';
import { completeAgain, completeChecked } from './complete-checked.ts';
import { guardStream } from './guard-stream.ts';

/**
 * The batches of an answer that keeps the contract. A promise about the whole answer cannot be kept after half of it was
 * sent, so JSON and forced calls are made whole first, unless the engine's grammar guarantees them.
 */
export function streamChecked(engine: Engine, request: ChatRequest, signal: AbortSignal): AsyncIterable<Delta[]> {
  const isForced = request.toolChoice !== 'auto' && request.toolChoice !== 'none';
  const isPromised = request.format.type !== 'text' || (request.tools.length > 0 && isForced);
  if (isPromised && !engine.constrains) return streamWhole(completeChecked(engine, request, signal));
  const batches = engine.stream(request, signal);
  if (request.tools.length === 0) return batches;
  return guardStream(batches, request, (problem) => completeAgain(engine, { ...request, choices: 1 }, problem, signal));
}

async function* streamWhole(answer: Promise<Completion>): AsyncGenerator<Delta[], undefined> {
  const { choices, usage } = await answer;
  const deltas: Delta[] = [];
  for (const [choice, { text, thinking, toolCalls, finish }] of choices.entries()) {
    if (thinking) deltas.push({ kind: 'thinking', choice, text: thinking });
    if (text !== '') deltas.push({ kind: 'text', choice, text });
    for (const call of toolCalls) deltas.push({ kind: 'tool_call', choice, call });
    deltas.push({ kind: 'finish', choice, reason: finish });
  }
  deltas.push({ kind: 'usage', usage });
  yield deltas;
}
