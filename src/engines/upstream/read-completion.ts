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
  addUsage(whole.usage, more.usage);
}

/** The same input was read again, so only the output of a further request counts. */
export function addUsage(usage: EngineUsage, more: EngineUsage): void {
  usage.completionTokens += more.completionTokens;
  if (more.reasoningTokens !== undefined) usage.reasoningTokens = (usage.reasoningTokens ?? 0) + more.reasoningTokens;
}

/** What another server spent: its input counts too. */
export function addWholeUsage(usage: EngineUsage, more: EngineUsage): void {
  usage.promptTokens += more.promptTokens;
  if (more.cachedTokens !== undefined) usage.cachedTokens = (usage.cachedTokens ?? 0) + more.cachedTokens;
  addUsage(usage, more);
}

export function sumOf(one: EngineUsage | undefined, other: EngineUsage): EngineUsage {
  const sum = { ...other };
  if (one) addWholeUsage(sum, one);
  return sum;
}
