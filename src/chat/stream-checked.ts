import type { ChatRequest, Completion, Delta, Engine, EngineToolCall, Tally } from '../models/index.ts';
import { type Choice, checkChoice, type Problem } from './check-completion.ts';
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
  for (const [choice, { text, thinking, toolCalls, finish, logprobs, promptLogprobs }] of choices.entries()) {
    if (thinking) deltas.push({ kind: 'thinking', choice, text: thinking });
    if (text !== '') deltas.push({ kind: 'text', choice, text });
    for (const call of toolCalls) deltas.push({ kind: 'tool_call', choice, call });
    const end: Finish = { kind: 'finish', choice, reason: finish };
    if (logprobs) end.logprobs = logprobs;
    if (promptLogprobs) end.promptLogprobs = promptLogprobs;
    deltas.push(end);
  }
  deltas.push({ kind: 'usage', usage });
  yield deltas;
}

type Finish = Delta & { kind: 'finish' };

/**
 * Holds back the tool calls of each choice until it is finished, and passes only valid ones on. `recall` requests one
 * choice again when they cannot be repaired; its text is dropped, since text was sent already. It runs after the stream
 * has ended: only then is it known what the first attempt used, and whether the budget has room for another.
 */
async function* checkCalls(
  batches: AsyncIterable<Delta[]>,
  request: ChatRequest,
  recall: (problem: Problem) => Promise<Completion>,
): AsyncGenerator<Delta[], undefined> {
  const held: [choice: number, call: EngineToolCall][] = [];
  const broken: [finish: Finish, problem: Problem][] = [];
  let usage: Delta | undefined;
  let passed: Delta[] = [];
  for await (const batch of batches) {
    for (const delta of batch) {
      if (delta.kind === 'tool_call') held.push([delta.choice, delta.call]);
      else if (delta.kind === 'usage') usage = delta;
      else if (delta.kind !== 'finish') passed.push(delta);
      else {
        const calls = held.filter(([choice]) => choice === delta.choice).map(([, call]) => call);
        const choice: Choice = { text: '', toolCalls: calls, finish: delta.reason };
        // Only the calls are checked: the engine guarantees the format of a stream that comes here.
        const problem = checkChoice(choice, { ...request, format: { type: 'text' } });
        if (problem) broken.push([delta, problem]);
        else passed.push(...finishWith(delta, choice));
      }
    }
    // What comes with a broken call waits for it: an error before the first chunk is an ordinary HTTP error.
    if (broken.length > 0 || passed.length === 0) continue;
    yield passed;
    passed = [];
  }
  for (const [delta, problem] of broken) {
    const again = (await recall(problem)).choices[0];
    if (!again || again.toolCalls.length === 0) throw chatErrors[problem]();
    passed.push(...finishWith(delta, again));
  }
  if (usage) passed.push(usage);
  if (passed.length > 0) yield passed;
}

function finishWith(end: Finish, { toolCalls, finish }: Choice): Delta[] {
  const calls = toolCalls.map((call): Delta => ({ kind: 'tool_call', choice: end.choice, call }));
  return [...calls, { ...end, reason: finish }];
}
