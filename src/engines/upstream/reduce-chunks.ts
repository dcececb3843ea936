import { addLogprobs } from '../add-logprobs.ts';
import type { Delta, EngineToolCall, EngineUsage, Logprobs } from '../engine.ts';
import { engineErrors } from '../errors.ts';
import { ChunkParser } from './chunk-parser.ts';
import { ANSWER_CHARACTERS_MAX, CALL_CHARACTERS_MAX, CALLS_MAX, PIECE_CHARACTERS } from './limits.ts';
import { addPromptLogprobs, readLogprobs } from './read-logprobs.ts';
import type { ReportedUsage, WireChoice, WireMessage, WireResponse, WireToolCall } from './response-parts.ts';
import { eachPiece, estimateTokens, toArguments, toFinish, toUsage } from './response-parts.ts';
import { endThinking, splitThinking, startThinking, type ThinkingState } from './split-thinking.ts';
import { endPrefix, type PrefixState, stripPrefix } from './strip-prefix.ts';

/** A number beyond it is not a choice but a mistake, and would make a huge empty list. */
const CHOICES_MAX = 10_000;

type PartialCall = EngineToolCall & { index: unknown };

type ChoiceState = {
  thinking: ThinkingState;
  prefix: PrefixState;
  calls: PartialCall[];
  isFinished: boolean;
  /** Log probabilities of tokens that have shown nothing yet. */
  held: Logprobs | undefined;
};

/** Everything a stream must remember between chunks. */
export type StreamState = {
  choices: (ChoiceState | undefined)[];
  /** Added to each choice's index when a server that ignores `n` is asked again. */
  offset: number;
  /** How many choices were asked for; further ones are ignored. */
  choicesMax: number;
  /** Whether log probabilities were asked for; others are ignored too. */
  measures: boolean;
  prefix: string;
  usage: ReportedUsage | undefined;
  characters: number;
  /** What the tool calls hold, and what their fragments cost. */
  callCharacters: number;
  /** How many characters the last report of usage covers; some servers send one with every chunk. */
  reportedCharacters: number;
  isDone: boolean;
  parser: ChunkParser;
};

export function startStream({ offset = 0, prefix = '', choices = CHOICES_MAX, measures = false } = {}): StreamState {
  return {
    choices: [],
    offset,
    choicesMax: choices,
    measures,
    prefix,
    usage: undefined,
    characters: 0,
    callCharacters: 0,
    reportedCharacters: 0,
    isDone: false,
    parser: new ChunkParser(),
  };
}

/** Takes the data of one event and appends what it means to `deltas`. */
export function reduceChunk(state: StreamState, data: string, deltas: Delta[]): void {
  if (state.isDone) return;
  if (data === '[DONE]') {
    state.isDone = true;
    return;
  }
  const response = state.parser.parse(data);
  if (!addText(state, deltas)) reduceResponse(state, response, deltas);
}

/** Nearly every chunk adds a text to a choice, and nothing else. False when this one does more. */
function addText(state: StreamState, deltas: Delta[]): boolean {
  const { onlyChoice: index, content } = state.parser;
  const own = index === -1 ? undefined : state.choices[index];
  if (!own || own.isFinished || own.thinking.at !== 'text' || state.measures || index >= state.choicesMax) return false;
  const text = stripPrefix(own.prefix, content);
  if (text !== '') addDelta(state, deltas, { kind: 'text', choice: index + state.offset, text });
  return true;
}

function addDelta(state: StreamState, deltas: Delta[], delta: Extract<Delta, { kind: 'text' | 'thinking' }>): void {
  state.characters += delta.text.length;
  if (state.characters > ANSWER_CHARACTERS_MAX) throw engineErrors.upstream_answer_too_large();
  deltas.push(delta);
}

/** The same for a parsed chunk, or for a whole response. */
export function reduceResponse(state: StreamState, response: WireResponse, deltas: Delta[]): void {
  const reported = response.usage ? toUsage(response.usage) : undefined;
  if (reported) state.usage = reported;
  if (response.error !== undefined && response.error !== null) throw engineErrors.upstream_interrupted();
  const { choices } = response;
  if (choices !== undefined && choices !== null) {
    if (!Array.isArray(choices)) throw engineErrors.upstream_invalid_response();
    for (const choice of choices) reduceChoice(state, choice, deltas);
    if (state.measures) addPromptLogprobs(response, deltas);
  }
  if (reported) state.reportedCharacters = countArrived(state);
}

/** The end of the stream. A server that stops before every choice is finished has failed, whatever it sent. */
export function endStream(state: StreamState): void {
  if (state.choices.length === 0 || state.choices.some((choice) => !choice?.isFinished))
    throw engineErrors.upstream_interrupted();
}

/** The server's own figures, or an estimate where it gives none. A part is never more than its whole. */
export function usageOf({ usage, characters }: StreamState, promptCharacters: number): EngineUsage {
  const promptTokens = usage?.promptTokens ?? estimateTokens(promptCharacters);
  const completionTokens = usage?.completionTokens ?? estimateTokens(characters);
  const counted: EngineUsage = { promptTokens, completionTokens };
  if (usage?.cachedTokens !== undefined) counted.cachedTokens = Math.min(usage.cachedTokens, promptTokens);
  if (usage?.reasoningTokens !== undefined) counted.reasoningTokens = Math.min(usage.reasoningTokens, completionTokens);
  return counted;
}

/** For a response that broke off: the last report, and an estimate of what arrived after it. */
export function brokenUsageOf(state: StreamState, promptCharacters: number): EngineUsage {
  const counted = usageOf(state, promptCharacters);
  const isReported = state.usage?.completionTokens !== undefined;
  const unreported = estimateTokens(countArrived(state) - (isReported ? state.reportedCharacters : 0));
  counted.completionTokens = isReported ? counted.completionTokens + unreported : unreported;
  return counted;
}

/** Text that was passed on, and what is still held back: calls, and what may be the beginning of a tag or a prefix. */
function countArrived(state: StreamState): number {
  let characters = state.characters;
  for (const choice of state.choices) {
    if (!choice || choice.isFinished) continue;
    characters += choice.thinking.held.length + (choice.prefix.prefix === '' ? 0 : choice.prefix.at);
    for (const call of choice.calls) characters += call.name.length + call.arguments.length;
  }
  return characters;
}

function reduceChoice(state: StreamState, choice: WireChoice | null, deltas: Delta[]): void {
  if (typeof choice !== 'object' || choice === null) throw engineErrors.upstream_invalid_response();
  const index = choice.index ?? 0;
  if (!isIndex(index)) throw engineErrors.upstream_interrupted();
  if (index >= state.choicesMax) return;
  const own = state.choices[index] ?? startChoice(state.prefix);
  state.choices[index] = own;
  if (own.isFinished) return;
  const number = index + state.offset;
  const first = deltas.length;
  if (state.measures) own.held = readLogprobs(own.held, choice);
  const message: WireMessage = choice.delta ?? choice.message ?? { content: choice.text };
  if (typeof message !== 'object') throw engineErrors.upstream_invalid_response();
  const emit = (kind: 'text' | 'thinking', text: string): void => {
    const shown = kind === 'text' ? stripPrefix(own.prefix, text) : text;
    if (shown !== '') addDelta(state, deltas, { kind, choice: number, text: shown });
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
  if (message.tool_calls !== undefined && message.tool_calls !== null) addFragments(state, own, message.tool_calls);
  // Some servers send an empty reason until there is one; a whole response is finished even without.
  const reason = choice.finish_reason || (choice.message ? 'stop' : undefined);
  if (reason === undefined) {
    if (own.held) attachLogprobs(own, deltas, first);
    return;
  }
  if (typeof reason !== 'string') throw engineErrors.upstream_invalid_response();
  endThinking(own.thinking, emit);
  const held = endPrefix(own.prefix);
  if (held !== '') emit('text', held);
  finishChoice(state, own, number, reason, deltas);
  if (own.held) attachLogprobs(own, deltas, first);
}

/** They go with the first delta of their chunk, or of a later one. */
function attachLogprobs(own: ChoiceState, deltas: Delta[], from: number): void {
  for (let at = from; at < deltas.length && own.held; at++) {
    const delta = deltas[at];
    if (!delta || delta.kind === 'tool_call' || delta.kind === 'usage') continue;
    addLogprobs(delta, own.held);
    own.held = undefined;
  }
}

function isIndex(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < CHOICES_MAX;
}

function finishChoice(state: StreamState, own: ChoiceState, number: number, reason: string, deltas: Delta[]): void {
  own.isFinished = true;
  for (const { id, name, arguments: text } of own.calls) {
    if (name === '') throw engineErrors.upstream_invalid_response();
    state.characters += name.length + text.length;
    deltas.push({ kind: 'tool_call', choice: number, call: { id, name, arguments: text } });
  }
  const finish = toFinish(reason);
  const isCall = finish === 'stop' && own.calls.length > 0;
  deltas.push({ kind: 'finish', choice: number, reason: isCall ? 'tool_calls' : finish });
}

function startChoice(prefix: string): ChoiceState {
  return { thinking: startThinking(), prefix: { prefix, at: 0 }, calls: [], isFinished: false, held: undefined };
}

function addFragments(state: StreamState, own: ChoiceState, fragments: unknown): void {
  if (!Array.isArray(fragments)) throw engineErrors.upstream_invalid_response();
  for (const fragment of fragments as WireToolCall[]) {
    if (typeof fragment !== 'object' || fragment === null) throw engineErrors.upstream_invalid_response();
    state.callCharacters += addFragment(own.calls, fragment) + PIECE_CHARACTERS;
    if (state.callCharacters > CALL_CHARACTERS_MAX || own.calls.length > CALLS_MAX)
      throw engineErrors.upstream_answer_too_large();
  }
}

// Some servers number their calls, some send whole calls that all have the number 0, some send no numbers.
function addFragment(calls: PartialCall[], fragment: NonNullable<WireToolCall>): number {
  const id = typeof fragment.id === 'string' ? fragment.id : '';
  const name = typeof fragment.function?.name === 'string' ? fragment.function.name : '';
  const text = toArguments(fragment.function?.arguments);
  const sameNumber = fragment.index === undefined ? undefined : calls.findLast(({ index }) => index === fragment.index);
  const open = sameNumber ?? (fragment.index === undefined && id === '' && name === '' ? calls.at(-1) : undefined);
  if (!open || (id !== '' && open.id !== '' && id !== open.id)) {
    calls.push({ index: fragment.index, id, name, arguments: text });
  } else {
    if (open.id === '') open.id = id;
    if (open.name === '') open.name = name;
    open.arguments += text;
  }
  return id.length + name.length + text.length;
}
