import type { Tenant } from '../kit/fair-queue/index.ts';
import type { OcrEngine } from './ocr/ocr-engine.ts';
import type { EngineUsage, Tally } from './tally.ts';
import type { TranscriptionEngine } from './transcribe/transcription-engine.ts';

export type { EngineUsage, Tally };

/**
 * The interface of every model runtime. The rooms translate the wire to and from these types; an engine translates them to
 * its own. Failures are thrown as ApiError with a message for the client.
 */
export type Engine = {
  /** Whole completions, one per choice, in order. */
  complete(request: ChatRequest, signal: AbortSignal, tally?: Tally): Promise<Completion>;
  /**
   * The same as it is generated. Each item is what arrived together, so a reader pays once per arrival and not once per
   * token. Choices may interleave; each ends with its `finish`; `usage` comes last, once.
   */
  stream(request: ChatRequest, signal: AbortSignal, tally?: Tally): AsyncIterable<Delta[]>;
  /** Fill in the middle, on engines and models that can: the choices hold the text between prompt and suffix. */
  completeFim?(request: FimRequest, signal: AbortSignal, tally?: Tally): Promise<Completion>;
  streamFim?(request: FimRequest, signal: AbortSignal, tally?: Tally): AsyncIterable<Delta[]>;
  /**
   * One vector per text, in order, all of one length. Texts longer than the window are the engine's to cut and average. It
   * may make vectors of the `dimension` that is wanted; the caller cuts longer ones.
   */
  embed?(texts: string[], signal: AbortSignal, dimension?: number, tally?: Tally, tenant?: Tenant): Promise<Embeddings>;
  /** One judgement per text, in order, on engines that can ask a moderation model. */
  moderate?(texts: string[], signal: AbortSignal, tally?: Tally): Promise<Moderation>;
  /** How relevant each text is for the query, in the order of the texts, on engines that can ask a reranking model. */
  rerank?(query: string, texts: string[], signal: AbortSignal, tally?: Tally, tenant?: Tenant): Promise<Reranking>;
  /** Scores by target and label for each text, in order, on engines of models that classify. */
  classify?(texts: string[], signal: AbortSignal, tally?: Tally, tenant?: Tenant): Promise<Classification>;
  /**
   * A voice, on engines that speak. Read it once for each request: until the weights are usable it is a fallback with its
   * own name and sample rate and the same voices.
   */
  speech?: SpeechEngine;
  /** Reads documents, on engines that can. */
  ocr?: OcrEngine;
  /** Hears speech, on engines that can. */
  transcription?: TranscriptionEngine;
  /**
   * True when a grammar makes tool calls and JSON answers valid by construction. Without it a stream of such an answer
   * is held back until it has been checked.
   */
  constrains?: boolean;
  /** Each text's tokens, whose sum `embed` reports, without the arithmetic, for limits that are checked first. */
  countTokens?(texts: string[], signal: AbortSignal, tenant?: Tenant): Promise<number[]>;
  /** The tokens of a prompt as the model reads it, without generating any; undefined where the engine cannot tell. */
  countPrompt?(request: ChatRequest, signal: AbortSignal): Promise<number | undefined>;
  /** Loads the model before a request needs it. */
  warm?(signal: AbortSignal): Promise<void>;
  state(): EngineState;
  /** Whether the server behind it accepts connections, on engines that have one. Never rejects. */
  probe?(): Promise<boolean>;
  /** What the model runs on, on engines of this machine that choose one; known once it is loaded. */
  device?(): EngineDevice | undefined;
  close(): Promise<void>;
};

/** Memory is the GPU's, measured when the model had been loaded; null on the CPU. */
export type EngineDevice = {
  kind: 'cpu' | 'cuda' | 'vulkan' | 'metal';
  names: string[];
  memoryBytes: number | null;
  freeBytes: number | null;
  /** All layers of the model, and those on the GPU. */
  layers: number;
  gpuLayers: number;
  /** Why less of it runs on the GPU than was asked for. */
  note: string | null;
  /** GPUs that failed, and are not used until the server is started again. */
  left?: readonly LeftDevice[];
};

/** The reason completes a sentence: `its process ended with SIGABRT in its trial`. */
export type LeftDevice = { kind: Exclude<EngineDevice['kind'], 'cpu'>; reason: string };

/** `waiting` means that a request waits, or should be sent again later. */
export type EngineState =
  | { kind: 'ready' }
  | { kind: 'waiting'; reason: string; retryAfterSeconds: number }
  | { kind: 'failed'; reason: string };

type Sampling = {
  /** Who asks, for engines that let tenants take turns. */
  tenant?: Tenant;
  /** Whose prompts an engine may remember this one with. Without it the request shares nothing with those that have one. */
  workspace?: string;
  temperature?: number;
  topP?: number;
  /** Upper bound of generated tokens; reaching it finishes with `length`. */
  maxTokens?: number;
  stop: string[];
  seed?: number;
  /** Neither the end of the answer nor a stop string counts before so many tokens. */
  minTokens?: number;
};

export type ChatRequest = Sampling & {
  messages: EngineMessage[];
  tools: EngineTool[];
  /** `any` always calls a tool, `none` never does, a name calls just that one. */
  toolChoice: 'auto' | 'none' | 'any' | { name: string };
  parallelToolCalls: boolean;
  format:
    | { type: 'text' }
    | { type: 'json_object' }
    | { type: 'json_schema'; name: string; description?: string; schema: JsonSchema; strict: boolean };
  choices: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  /** Divides the chances of tokens that the answer has already; 1 changes nothing. */
  repetitionPenalty?: number;
  /** Only the so many likeliest tokens are sampled from. */
  topK?: number;
  /** How many of the likeliest tokens are wanted at each place, beside the one that stands there; may be 0. */
  logprobs?: number;
  promptLogprobs?: number;
  reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  /** Text the answer is expected to resemble; a hint that may be ignored. */
  prediction?: string;
  /** Requests with the same key share a beginning; a hint for caches. */
  cacheKey?: string;
  /** Added to the chance of each of these tokens, by their ids in the model's vocabulary. */
  logitBias?: Record<string, number>;
};

export type FimRequest = Sampling & { prompt: string; suffix: string; choices: number };

export type JsonSchema = Record<string, unknown>;

export type EngineTool = { name: string; description: string; parameters: JsonSchema; strict: boolean };

/** `arguments` is JSON text. */
export type EngineToolCall = { id: string; name: string; arguments: string };

export type EnginePart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; url: string; detail?: string }
  | { type: 'input_audio'; data: string };

export type EngineMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | EnginePart[] }
  /** With `prefix`, always the last message: the answer goes on from `content` and is returned without it. */
  | { role: 'assistant'; content: string; thinking?: string; toolCalls: EngineToolCall[]; prefix: boolean }
  | { role: 'tool'; content: string; toolCallId: string; name?: string };

export type FinishReason = 'stop' | 'length' | 'model_length' | 'tool_calls' | 'error';

/** A token and the natural logarithm of its chance, as on the wire. `token_id` is -1 where the engine does not tell it. */
export type TokenLogprob = { token: string; logprob: number; bytes: number[]; token_id: number };
/** A token that stands in a text, and the likeliest ones at its place where they were asked for. */
export type PlacedLogprob = TokenLogprob & { top_logprobs?: TokenLogprob[] };

/** Only where they were asked for: the tokens that arrived with a delta, and with the first one those of the prompt. */
export type Logprobs = { logprobs?: PlacedLogprob[]; promptLogprobs?: PlacedLogprob[] };

export type Delta =
  | ({ kind: 'text'; choice: number; text: string } & Logprobs)
  | ({ kind: 'thinking'; choice: number; text: string } & Logprobs)
  /** Always a whole call. */
  | { kind: 'tool_call'; choice: number; call: EngineToolCall }
  | ({ kind: 'finish'; choice: number; reason: FinishReason } & Logprobs)
  | { kind: 'usage'; usage: EngineUsage };

export type CompletionChoice = {
  text: string;
  thinking?: string;
  toolCalls: EngineToolCall[];
  finish: FinishReason;
} & Logprobs;

export type Completion = { choices: CompletionChoice[]; usage: EngineUsage };

/** `promptTokens` counts all texts together; upstreams report no more. */
export type Embeddings = { vectors: Float32Array[]; promptTokens: number };
/** By category, in the model's own names: its score from 0 to 1, and whether it flags the text. */
export type Judgement = { scores: Record<string, number>; flags: Record<string, boolean> };

/** Larger is more relevant; the numbers of two models have nothing in common. */
export type Reranking = { scores: number[]; promptTokens: number };

export type Moderation = { judgements: Judgement[]; promptTokens: number };

/** By target: the score from 0 to 1 of each of its labels. */
export type TargetScores = Record<string, Record<string, number>>;

export type Classification = { results: TargetScores[]; promptTokens: number };

/** What an engine that speaks offers. Samples are mono, from -1 to 1, at `sampleRate`. */
export type SpeechEngine = {
  /** The engine's own name, for the response header. */
  name: string;
  sampleRate: number;
  /** Empty where the engine lists none, as most upstreams: then any voice is passed on. */
  voices: readonly PresetVoice[];
  defaultVoice: string;
  /** Whether it can speak like `refAudio`. */
  clones: boolean;
  /**
   * Speech as it is generated, a sentence or so at a time; the next piece is generated when it is requested. A text
   * without words (white space, emoji) yields nothing.
   */
  speak(request: SpeakRequest, signal: AbortSignal, tally?: Tally): AsyncIterable<Float32Array>;
  /** True when `speak` adds the tokens of the text to its tally, at each attempt that was not refused. */
  talliesText?: boolean;
};

export type SpeakRequest = { text: string; voice: string; refAudio?: Uint8Array; tenant?: Tenant };

/** A voice that comes with an engine. `slug` is what the engine calls it, `languages` are BCP 47 tags. */
export type PresetVoice = { slug: string; name: string; languages: string[]; gender: 'female' | 'male' | null };
