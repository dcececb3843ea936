import type { ChatRequest, Completion, Delta, Engine, EngineToolCall, Tally } from '../models/index.ts';
import { checkChoice, type Problem } from './check-completion.ts';
import { completeAgain, completeChecked } from './complete-checked.ts';
import { chatErrors } from './errors.ts';

/**
 * Streams a completion that keeps the contract. JSON and forced calls can only be checked whole, so they are completed
 * before the first chunk, unless the engine's grammar guarantees them.
 */
export function streamChecked(
  engine: Engine,
  request: ChatRequest,
  signal: AbortSignal,
  tally: Tally,
): AsyncIterable<Delta[]> {
  const isForced = request.toolChoice !== 'auto' && request.toolChoice !== 'none';
  const isPromised = request.format.type !== 'text' || (request.tools.length > 0 && isForced);
  if (isPromised && !engine.constrains) return streamWhole(completeChecked(engine, request, signal, tally));
  const batches = engine.stream(request, signal, tally);
  if (request.tools.length === 0) return batches;
  return checkCalls(batches, request, (problem) =>
    completeAgain(engine, { ...request, choices: 1 }, problem, signal, tally),
  );
}

async function* streamWhole(completion: Promise<Completion>): AsyncGenerator<Delta[], undefined> {
  const { choices, usage } = await completion;
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

/**
 * Holds back the tool calls of each choice until it is finished, and passes only valid ones on. `recall` requests one
 * choice again when they cannot be repaired; its text is dropped, since text was sent already.
 */
async function* checkCalls(
  batches: AsyncIterable<Delta[]>,
  request: ChatRequest,
  recall: (problem: Problem) => Promise<Completion>,
): AsyncGenerator<Delta[], undefined> {
  const held: [choice: number, call: EngineToolCall][] = [];
  for await (const batch of batches) {
    const passed: Delta[] = [];
    for (const delta of batch) {
      if (delta.kind === 'tool_call') held.push([delta.choice, delta.call]);
      else if (delta.kind !== 'finish') passed.push(delta);
      else {
        const calls = held.filter(([choice]) => choice === delta.choice).map(([, call]) => call);
        passed.push(...(await finish(delta, calls, request, recall)));
      }
    }
    if (passed.length > 0) yield passed;
  }
}

async function finish(
  delta: Delta & { kind: 'finish' },
  toolCalls: EngineToolCall[],
  request: ChatRequest,
  recall: (problem: Problem) => Promise<Completion>,
): Promise<Delta[]> {
  // Only the calls are checked: the engine guarantees the format of a stream that comes here.
  const callsOnly: ChatRequest = { ...request, format: { type: 'text' } };
  let choice: Completion['choices'][number] = { text: '', toolCalls, finish: delta.reason };
  const problem = checkChoice(choice, callsOnly);
  if (problem) {
    const again = (await recall(problem)).choices[0];
    if (!again || again.toolCalls.length === 0) throw chatErrors[problem]();
    choice = again;
  }
  const calls = choice.toolCalls.map((call): Delta => ({ kind: 'tool_call', choice: delta.choice, call }));
  return [...calls, { kind: 'finish', choice: delta.choice, reason: choice.finish }];
}
