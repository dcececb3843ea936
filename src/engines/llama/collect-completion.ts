import { addLogprobs } from '../add-logprobs.ts';
import type { Completion, Delta } from '../engine.ts';

type Choice = Completion['choices'][number];

/** A stream read to its end. */
export async function collectCompletion(stream: AsyncIterable<Delta[]>, count: number): Promise<Completion> {
  const choices = Array.from({ length: count }, (): Choice => ({ text: '', toolCalls: [], finish: 'error' }));
  let usage = { promptTokens: 0, completionTokens: 0 };
  for await (const deltas of stream) {
    for (const delta of deltas) {
      if (delta.kind === 'usage') usage = delta.usage;
      else addTo(choices[delta.choice], delta);
    }
  }
  return { choices, usage };
}

function addTo(choice: Choice | undefined, delta: Exclude<Delta, { kind: 'usage' }>): void {
  if (!choice) return;
  if (delta.kind !== 'tool_call') addLogprobs(choice, delta);
  switch (delta.kind) {
    case 'text':
      choice.text += delta.text;
      break;
    case 'thinking':
      choice.thinking = (choice.thinking ?? '') + delta.text;
      break;
    case 'tool_call':
      choice.toolCalls.push(delta.call);
      break;
    case 'finish':
      choice.finish = delta.reason;
  }
}
