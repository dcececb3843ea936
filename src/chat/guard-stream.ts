import type { ChatRequest, Completion, Delta, EngineToolCall } from '../models/index.ts';
import { checkChoice, failureOf, type Problem } from './check-completion.ts';

/**
 * Holds back the tool calls of each choice until it is finished, and lets only good ones through. `recall` asks for one
 * choice again when they cannot be repaired; text that was sent already stays, so only the calls are taken from it.
 */
export async function* guardStream(
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
  // Text and format were held back where they are to be checked, so only the calls are judged here.
  const judged: ChatRequest = { ...request, format: { type: 'text' } };
  let choice: Completion['choices'][number] = { text: '', toolCalls, finish: delta.reason };
  const problem = checkChoice(choice, judged);
  if (problem) {
    const again = (await recall(problem)).choices[0];
    if (!again || again.toolCalls.length === 0) throw failureOf(problem);
    choice = again;
  }
  const calls = choice.toolCalls.map((call): Delta => ({ kind: 'tool_call', choice: delta.choice, call }));
  return [...calls, { kind: 'finish', choice: delta.choice, reason: choice.finish }];
}
