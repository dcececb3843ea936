import { addLogprobs } from '../add-logprobs.ts';
import type { Completion, Delta, EngineUsage } from '../engine.ts';
import { engineErrors } from '../errors.ts';
import { endStream, type StreamState } from './reduce-chunks.ts';

/** A whole answer was read as one chunk of a stream; here it becomes whole again. */
export function completionOf(state: StreamState, deltas: Delta[], usage: EngineUsage): Completion {
  if (state.choices.length === 0) throw engineErrors.upstream_invalid_response();
  endStream(state);
  const choices: Completion['choices'] = [];
  for (let index = 0; index < state.choices.length; index++) choices.push({ text: '', toolCalls: [], finish: 'stop' });
  for (const delta of deltas) {
    if (delta.kind === 'usage') continue;
    const choice = choices[delta.choice];
    if (!choice) continue;
    if (delta.kind !== 'tool_call') addLogprobs(choice, delta);
    if (delta.kind === 'text') choice.text += delta.text;
    else if (delta.kind === 'thinking') choice.thinking = (choice.thinking ?? '') + delta.text;
    else if (delta.kind === 'tool_call') choice.toolCalls.push(delta.call);
    else choice.finish = delta.reason;
  }
  return { choices, usage };
}

/** What a further request brought, when a server gives fewer choices at a time than were asked for. */
export function addCompletion(whole: Completion, more: Completion): void {
  whole.choices.push(...more.choices);
  whole.usage = joinUsage(whole.usage, more.usage);
}

/** As the client sees it: the input counts once, however often it was read. The tally has each request by itself. */
export function joinUsage(usage: EngineUsage, more: EngineUsage): EngineUsage {
  const joined = { ...usage, completionTokens: usage.completionTokens + more.completionTokens };
  if (more.reasoningTokens !== undefined) joined.reasoningTokens = (usage.reasoningTokens ?? 0) + more.reasoningTokens;
  return joined;
}
