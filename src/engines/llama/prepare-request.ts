import type { ChatRequest, EngineMessage, EngineTool, FimRequest } from '../engine.ts';
import { Refusal } from '../process/protocol.ts';
import type { SamplerOptions } from './configure-sampler.ts';
import { offeredTools } from './grammar/answer-grammar.ts';
import type { Grammars } from './grammar/worker.ts';
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
  /** How many of the likeliest tokens are wanted at each place of the answer, and of the prompt. */
  logprobs: number | undefined;
  promptLogprobs: number | undefined;
  sampling: Omit<SamplerOptions, 'seed'>;
  answer: Omit<AnswerOptions, 'createCallId'>;
};

const temperatureDefault = 0.7;
/** No vocabulary has longer tokens than a run of so many spaces. */
const CHARACTERS_PER_TOKEN_MAX = 128;
/** Prompts of this length are counted to their end, for the message. */
const COUNTED_CHARACTERS = 16_384;
const TOKENS_PER_MESSAGE_MIN = 3;

/** `contextTokens` is what a prompt must fit into. */
type Parts = { words: Vocabulary; contextTokens: number };

export async function prepareChat(
  request: ChatRequest,
  grammars: Grammars,
  template: ChatTemplate,
  { words, contextTokens }: Parts,
): Promise<Prepared> {
  const tools = offeredTools(request);
  const isForced = request.toolChoice !== 'auto' && tools.length > 0;
  if (request.toolChoice !== 'auto' && request.toolChoice !== 'none' && tools.length === 0) {
    throw new Refusal('unknown_tool_choice', 'The tool choice names no tool of this request.');
  }
  const countMax = tokensToCount(countCharacters(request, tools), contextTokens);
  // A message is at least its marks, and templates take their time for each.
  if (request.messages.length * TOKENS_PER_MESSAGE_MIN > contextTokens)
    throw promptTooLong('far too many', contextTokens);
  const instruction = answerInstruction(request);
  // A grammar leaves no room for thoughts before the answer.
  const allowThinking = request.reasoningEffort !== 'none' && !isForced && request.format.type === 'text';
  const { segments, startsThinking } = template.render({
    messages: request.messages,
    tools,
    allowThinking,
    ...(instruction === undefined ? {} : { instruction }),
  });
  const last = request.messages.at(-1);
  const prefix = last?.role === 'assistant' && last.prefix ? last.content : '';
  // Calls stand after the prefix; JSON goes on from it.
  const isBegun = prefix !== '' && request.format.type !== 'text' && !isForced;
  return {
    prompt: checkLength(await words.tokenize(segments, countMax), countMax, contextTokens),
    choices: request.choices,
    maxTokens: request.maxTokens ?? Number.POSITIVE_INFINITY,
    minTokens: request.minTokens ?? 0,
    seed: request.seed,
    logprobs: request.logprobs,
    promptLogprobs: request.promptLogprobs,
    sampling: {
      ...samplingOf(request),
      ...(isBegun ? { begunWith: await words.tokenizePlain(prefix, Infinity) } : {}),
      presencePenalty: request.presencePenalty ?? 0,
      frequencyPenalty: request.frequencyPenalty ?? 0,
      repetitionPenalty: request.repetitionPenalty ?? 1,
      topK: request.topK,
      ...(request.logitBias ? { bias: biasOf(request.logitBias) } : {}),
      measured: measuredOf(request),
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

export async function prepareFim(request: FimRequest, { words, contextTokens }: Parts): Promise<Prepared> {
  const { infill } = words;
  if (!infill) {
    throw new Refusal(
      'fim_unsupported',
      'This model cannot fill in the middle: its vocabulary has no tokens for it. The operator adds one under models: in tramontane.yaml: - { id: coder, engine: llama, weights: qwen2.5-coder-1.5b-instruct, kind: code }',
    );
  }
  const countMax = tokensToCount(request.prompt.length + request.suffix.length, contextTokens);
  const before = checkLength(await words.tokenizePlain(request.prompt, countMax), countMax, contextTokens);
  const after = checkLength(await words.tokenizePlain(request.suffix, countMax), countMax, contextTokens);
  return {
    prompt: [
      infill.prefix,
      ...before,
      infill.suffix,
      ...after,
      ...(infill.middle === undefined ? [] : [infill.middle]),
    ],
    choices: request.choices,
    maxTokens: request.maxTokens ?? Number.POSITIVE_INFINITY,
    minTokens: request.minTokens ?? 0,
    seed: request.seed,
    logprobs: undefined,
    promptLogprobs: undefined,
    sampling: { ...samplingOf(request), presencePenalty: 0, frequencyPenalty: 0, repetitionPenalty: 1 },
    answer: { mode: 'text', toolNames: [], parallel: false, stop: request.stop, startsThinking: false },
  };
}

export function promptTooLong(tokens: number | string, contextTokens: number): Refusal {
  return new Refusal(
    'prompt_too_long',
    `The prompt has ${tokens} tokens, which is too long: this model's context holds ${contextTokens} tokens, prompt and answer together.`,
  );
}

function countCharacters({ messages, format }: ChatRequest, tools: EngineTool[]): number {
  const schemas = [...tools, ...(format.type === 'json_schema' ? [format.schema] : [])];
  return messages.reduce((sum, message) => sum + lengthOf(message), JSON.stringify(schemas).length);
}

function lengthOf(message: EngineMessage): number {
  if (typeof message.content !== 'string')
    return message.content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
  const calls = message.role === 'assistant' ? message.toolCalls : [];
  return calls.reduce((sum, call) => sum + call.arguments.length, message.content.length);
}

/** Counting the tokens of megabytes takes seconds: beyond a length it ends with the context. */
function tokensToCount(characters: number, contextTokens: number): number {
  if (characters > contextTokens * CHARACTERS_PER_TOKEN_MAX) throw promptTooLong('far too many', contextTokens);
  return characters > COUNTED_CHARACTERS ? contextTokens : Number.POSITIVE_INFINITY;
}

function checkLength(tokens: number[], countMax: number, contextTokens: number): number[] {
  if (tokens.length > countMax) throw promptTooLong(`more than ${tokens.length}`, contextTokens);
  return tokens;
}

function samplingOf({ temperature, topP }: { temperature?: number; topP?: number }) {
  return { temperature: temperature ?? temperatureDefault, topP: topP ?? 1 };
}

function biasOf(logitBias: Record<string, number>): [token: number, value: number][] {
  return Object.entries(logitBias).map(([token, value]) => [Number(token), value]);
}

/** The most that answer or prompt want, since one meter serves both. */
function measuredOf({ logprobs, promptLogprobs }: ChatRequest): number | undefined {
  if (logprobs === undefined && promptLogprobs === undefined) return undefined;
  return Math.max(logprobs ?? 0, promptLogprobs ?? 0);
}

/** Describes the response format to the model. The grammar enforces it; the words make the content sensible. */
function answerInstruction({ format }: ChatRequest): string | undefined {
  if (format.type === 'text') return undefined;
  if (format.type === 'json_object') return 'Answer with one JSON object and nothing else.';
  const about = format.description ? ` (${format.description})` : '';
  return `Answer with JSON for "${format.name}"${about} that follows this schema:\n${JSON.stringify(format.schema)}`;
}
