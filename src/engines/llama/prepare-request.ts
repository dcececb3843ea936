import type { ChatRequest, FimRequest } from '../engine.ts';
import { Refusal } from '../process/protocol.ts';
import { offeredTools } from './grammar/answer-grammar.ts';
import type { Grammars } from './grammar/worker.ts';
import type { SamplerOptions } from './native.ts';
import type { AnswerOptions } from './output/read-answer.ts';
import type { ChatTemplate } from './prompt/chat-template.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A request in the terms of the scheduler: what to evaluate, how to sample, how to read what comes. */
export type Prepared = {
  prompt: number[];
  choices: number;
  maxTokens: number;
  minTokens: number;
  seed: number | undefined;
  sampling: Omit<SamplerOptions, 'seed'>;
  answer: Omit<AnswerOptions, 'createCallId'>;
};

const temperatureDefault = 0.7;
/** No vocabulary has longer tokens than a run of so many spaces. */
const CHARACTERS_PER_TOKEN_MAX = 128;

/** `contextTokens` is what a prompt must fit into. */
type Parts = { words: Vocabulary; contextTokens: number };

export function prepareChat(
  request: ChatRequest,
  grammars: Grammars,
  template: ChatTemplate,
  { words, contextTokens }: Parts,
): Prepared {
  const tools = offeredTools(request);
  const isForced = request.toolChoice !== 'auto' && tools.length > 0;
  if (request.toolChoice !== 'auto' && request.toolChoice !== 'none' && tools.length === 0) {
    throw new Refusal('unknown_tool_choice', 'The tool choice names no tool of this request.');
  }
  const instruction = answerInstruction(request);
  // A grammar leaves no room for thoughts before the answer.
  const allowThinking = request.reasoningEffort !== 'none' && !isForced && request.format.type === 'text';
  const { segments, startsThinking } = template.render({
    messages: request.messages,
    tools,
    allowThinking,
    ...(instruction === undefined ? {} : { instruction }),
  });
  refuseEndless(
    segments.reduce((sum, { text }) => sum + text.length, 0),
    contextTokens,
  );
  const last = request.messages.at(-1);
  const prefix = last?.role === 'assistant' && last.prefix ? last.content : '';
  // Calls stand after the prefix; JSON goes on from it.
  const isBegun = prefix !== '' && request.format.type !== 'text' && !isForced;
  return {
    prompt: words.tokenize(segments),
    choices: request.choices,
    maxTokens: request.maxTokens ?? Number.POSITIVE_INFINITY,
    minTokens: 0,
    seed: request.seed,
    sampling: {
      ...samplingOf(request),
      ...(isBegun ? { begunWith: words.tokenizePlain(prefix) } : {}),
      presencePenalty: request.presencePenalty ?? 0,
      frequencyPenalty: request.frequencyPenalty ?? 0,
      grammar: grammars.grammar,
      looserGrammar: grammars.looser,
    },
    answer: {
      mode: tools.length === 0 ? 'text' : isForced ? 'calls' : 'either',
      toolNames: tools.map(({ name }) => name),
      parallel: request.parallelToolCalls,
      stop: request.stop,
      startsThinking,
    },
  };
}

export function prepareFim(request: FimRequest, { words, contextTokens }: Parts): Prepared {
  const { infill } = words;
  if (!infill) {
    throw new Refusal(
      'fim_unsupported',
      'This model cannot fill in the middle. Choose a model whose vocabulary has the tokens for it.',
    );
  }
  refuseEndless(request.prompt.length + request.suffix.length, contextTokens);
  return {
    prompt: [
      infill.prefix,
      ...words.tokenizePlain(request.prompt),
      infill.suffix,
      ...words.tokenizePlain(request.suffix),
      ...(infill.middle === undefined ? [] : [infill.middle]),
    ],
    choices: request.choices,
    maxTokens: request.maxTokens ?? Number.POSITIVE_INFINITY,
    minTokens: request.minTokens ?? 0,
    seed: request.seed,
    sampling: { ...samplingOf(request), presencePenalty: 0, frequencyPenalty: 0 },
    answer: { mode: 'text', toolNames: [], parallel: false, stop: request.stop, startsThinking: false },
  };
}

export function promptTooLong(tokens: number | 'far too many', contextTokens: number): Refusal {
  return new Refusal(
    'prompt_too_long',
    `The prompt has ${tokens} tokens, which is too long: this model's context holds ${contextTokens} tokens, prompt and answer together.`,
  );
}

/** Counting the tokens of megabytes takes seconds, in which all streams of this process would wait. */
function refuseEndless(characters: number, contextTokens: number): void {
  if (characters > contextTokens * CHARACTERS_PER_TOKEN_MAX) throw promptTooLong('far too many', contextTokens);
}

function samplingOf({ temperature, topP }: { temperature?: number; topP?: number }) {
  return { temperature: temperature ?? temperatureDefault, topP: topP ?? 1 };
}

/** Describes the response format to the model. The grammar enforces it; the words make the content sensible. */
function answerInstruction({ format }: ChatRequest): string | undefined {
  if (format.type === 'text') return undefined;
  if (format.type === 'json_object') return 'Answer with one JSON object and nothing else.';
  const about = format.description ? ` (${format.description})` : '';
  return `Answer with JSON for "${format.name}"${about} that follows this schema:\n${JSON.stringify(format.schema)}`;
}
