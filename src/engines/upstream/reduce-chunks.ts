import type { Delta, EngineToolCall, EngineUsage } from '../engine.ts';
import { engineErrors } from '../errors.ts';
import type { WireChoice, WireMessage, WireResponse, WireToolCall } from './response-parts.ts';
import { eachPiece, estimateTokens, toArguments, toFinish, toUsage } from './response-parts.ts';
import { endThinking, splitThinking, startThinking, type ThinkingState } from './split-thinking.ts';
import { endPrefix, type PrefixState, stripPrefix } from './strip-prefix.ts';

/** A number beyond it is not a choice but a mistake, and would make a huge empty list. */
const CHOICES_MAX = 10_000;

type PartialCall = EngineToolCall & { index: unknown };

type ChoiceState = { thinking: ThinkingState; prefix: PrefixState; calls: PartialCall[]; isFinished: boolean };

/** Everything a stream must remember between chunks. */
export type StreamState = {
  choices: (ChoiceState | undefined)[];
  /** Added to each choice's index when a server that ignores `n` is asked again. */
  offset: number;
  prefix: string;
  usage: EngineUsage | undefined;
  characters: number;
  /** How many of them the last report of usage covers; some servers send one with every chunk. */
  reportedCharacters: number;
  isDone: boolean;
};

export function startStream({ offset = 0, prefix = '' } = {}): StreamState {
  return { choices: [], offset, prefix, usage: undefined, characters: 0, reportedCharacters: 0, isDone: false };
}

/** Takes the data of one event and appends what it means to `deltas`. */
export function reduceChunk(state: StreamState, data: string, deltas: Delta[]): void {
  if (data === '[DONE]') {
    state.isDone = true;
    return;
  }
  reduceResponse(state, parseChunk(data), deltas);
}

/** The same for a parsed chunk, or for a whole response. */
export function reduceResponse(state: StreamState, response: WireResponse, deltas: Delta[]): void {
  const reported = response.usage ? toUsage(response.usage) : undefined;
  if (reported) state.usage = reported;
  if (response.error !== undefined && response.error !== null) throw engineErrors.upstream_interrupted();
  if (Array.isArray(response.choices))
    for (const choice of response.choices as WireChoice[]) reduceChoice(state, choice, deltas);
  if (reported) state.reportedCharacters = countArrived(state);
}

/** The end of the stream. A server that stops before every choice is finished has failed, whatever it sent. */
export function endStream(state: StreamState): void {
  if (state.choices.length === 0 || state.choices.some((choice) => !choice?.isFinished))
    throw engineErrors.upstream_interrupted();
}

/** The server's own figures, or an estimate where it gives none. */
export function usageOf(state: StreamState, promptCharacters: number): EngineUsage {
  return (
    state.usage ?? {
      promptTokens: estimateTokens(promptCharacters),
      completionTokens: estimateTokens(state.characters),
    }
  );
}

/** For a response that broke off: the last report, and an estimate of what arrived after it. */
export function brokenUsageOf(state: StreamState, promptCharacters: number): EngineUsage {
  const unreported = estimateTokens(countArrived(state) - state.reportedCharacters);
  if (!state.usage) return { promptTokens: estimateTokens(promptCharacters), completionTokens: unreported };
  return { ...state.usage, completionTokens: state.usage.completionTokens + unreported };
}

/** Text that was passed on, and what is still held back: calls, and what may be the beginning of a tag or a prefix. */
function countArrived(state: StreamState): number {
  let characters = state.characters;
  for (const choice of state.choices) {
    if (!choice || choice.isFinished) continue;
    characters += choice.thinking.held.length + choice.prefix.held.length;
    for (const call of choice.calls) characters += call.name.length + call.arguments.length;
  }
  return characters;
}

function reduceChoice(state: StreamState, choice: WireChoice, deltas: Delta[]): void {
  const index = typeof choice.index === 'number' && choice.index >= 0 ? choice.index : 0;
  if (index > CHOICES_MAX) throw engineErrors.upstream_interrupted();
  const own = state.choices[index] ?? startChoice(state.prefix);
  state.choices[index] = own;
  if (own.isFinished) return;
  const number = index + state.offset;
  const message: WireMessage = choice.delta ?? choice.message ?? { content: choice.text };
  const emit = (kind: 'text' | 'thinking', text: string): void => {
    const shown = kind === 'text' ? stripPrefix(own.prefix, text) : text;
    if (shown === '') return;
    state.characters += shown.length;
    deltas.push({ kind, choice: number, text: shown });
  };
  const reasoning = message.reasoning_content ?? message.reasoning;
  if (typeof reasoning === 'string' && reasoning !== '') emit('thinking', reasoning);
  if (own.thinking.at === 'text' && typeof message.content === 'string') {
    if (message.content !== '') emit('text', message.content);
  } else {
    eachPiece(message.content, (kind, text) =>
      kind === 'thinking' ? emit(kind, text) : splitThinking(own.thinking, text, emit),
    );
  }
  if (Array.isArray(message.tool_calls)) for (const call of message.tool_calls) addFragment(own.calls, call);
  // A whole response is finished even without a reason.
  const reason = choice.finish_reason ?? (choice.message ? 'stop' : undefined);
  if (reason === undefined) return;
  endThinking(own.thinking, emit);
  const held = endPrefix(own.prefix);
  if (held !== '') emit('text', held);
  finishChoice(state, own, number, reason, deltas);
}

function finishChoice(state: StreamState, own: ChoiceState, number: number, reason: unknown, deltas: Delta[]): void {
  own.isFinished = true;
  for (const { id, name, arguments: text } of own.calls) {
    state.characters += name.length + text.length;
    deltas.push({ kind: 'tool_call', choice: number, call: { id, name, arguments: text } });
  }
  const finish = toFinish(reason);
  const isCall = finish === 'stop' && own.calls.length > 0;
  deltas.push({ kind: 'finish', choice: number, reason: isCall ? 'tool_calls' : finish });
}

function startChoice(prefix: string): ChoiceState {
  return { thinking: startThinking(), prefix: { prefix, held: '' }, calls: [], isFinished: false };
}

// Some servers number their calls, some send whole calls that all have the number 0, some send no numbers.
function addFragment(calls: PartialCall[], fragment: WireToolCall): void {
  const id = typeof fragment?.id === 'string' ? fragment.id : '';
  const name = typeof fragment?.function?.name === 'string' ? fragment.function.name : '';
  const text = toArguments(fragment?.function?.arguments);
  const sameNumber = fragment.index === undefined ? undefined : calls.findLast(({ index }) => index === fragment.index);
  const open = sameNumber ?? (fragment.index === undefined && id === '' && name === '' ? calls.at(-1) : undefined);
  if (!open || (id !== '' && open.id !== '' && id !== open.id)) {
    calls.push({ index: fragment.index, id, name, arguments: text });
    return;
  }
  if (open.id === '') open.id = id;
  if (open.name === '') open.name = name;
  open.arguments += text;
}

function parseChunk(data: string): WireResponse {
  try {
    const chunk: unknown = JSON.parse(data);
    if (typeof chunk === 'object' && chunk !== null) return chunk;
  } catch {
    // The text of the chunk is never shown.
  }
  throw engineErrors.upstream_interrupted();
}
