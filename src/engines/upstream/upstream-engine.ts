import { type Clock, systemClock } from '../../kit/base/clock.ts';
import type {
  ChatRequest,
  Completion,
  Delta,
  Engine,
  EngineFailure,
  EngineUsage,
  FimRequest,
  SpeakRequest,
  SpeechEngine,
} from '../engine.ts';
import { engineErrors } from '../errors.ts';
import type { OcrRequest, OcrResult } from '../ocr/ocr-engine.ts';
import type { BreakerSettings } from './breaker.ts';
import { chatCall, embeddingsCall, fimCall, moderationCall, ocrCall, speechCall } from './build-calls.ts';
import { classifyAnswer } from './classify-failure.ts';
import { createUpstreamConnections, type UpstreamConnections } from './connections.ts';
import { DeltaQueue } from './delta-queue.ts';
import type { Exchange } from './exchange.ts';
import { ANSWER_LIMITS, type AnswerLimits, streamBytesMax } from './limits.ts';
import { openResponse, type RetrySettings, type UnusableAnswer, type UpstreamCall } from './open-response.ts';
import { addCompletion, addUsage, addWholeUsage, completionOf, sumOf } from './read-completion.ts';
import { readEmbeddings } from './read-embeddings.ts';
import { readJson } from './read-json.ts';
import { readModeration } from './read-moderation.ts';
import { readPages } from './read-pages.ts';
import { PCM_RATE } from './read-sound.ts';
import { readSpeech } from './read-speech.ts';
import { endStream, reduceResponse, type StreamState, startStream, usageOf } from './reduce-chunks.ts';
import type { WireResponse } from './response-parts.ts';
import { type KnownTarget, knowTarget, type UpstreamTarget } from './target.ts';

const RETRY: RetrySettings = { retriesMax: 2, backoffMs: 250, retryAfterMsMax: 5000 };
const BREAKER: BreakerSettings = { failuresMax: 5, openMs: 10_000 };

export type UpstreamEngineOptions = {
  /** In the order in which they are tried. */
  targets: UpstreamTarget[];
  /** Shared by all engines; without it the engine has its own and closes it. */
  connections?: UpstreamConnections;
  now?: Clock;
  /** True for a model that makes vectors. */
  embeds?: boolean;
  /** True for a model that reads documents. */
  ocr?: boolean;
  /** For a model that speaks. */
  speech?: { name: string; voices: string[]; defaultVoice: string; clones: boolean };
  retry?: Partial<RetrySettings>;
  breaker?: Partial<BreakerSettings>;
};

/** An engine for any server that speaks the OpenAI API: vLLM, Ollama, llama.cpp, Mistral, another Tramontane. */
export function createUpstreamEngine(options: UpstreamEngineOptions): Engine {
  const connections = options.connections ?? createUpstreamConnections();
  const now = options.now ?? systemClock;
  const breaker = { ...BREAKER, ...options.breaker };
  const targets = options.targets.map((target) => knowTarget(target, breaker, now));
  const servers = { targets, connections, retry: { ...RETRY, ...options.retry } };

  async function complete(request: CompletionCall, signal: AbortSignal): Promise<Completion> {
    const { choices, prefix, characters, callOf } = request;
    let whole: Completion | undefined;
    let unusable: UnusableAnswer | undefined;
    let lost: EngineUsage | undefined;
    // A server that ignores `n` is asked again for what is missing.
    do {
      const wanted = choices - (whole?.choices.length ?? 0);
      const { response, target } = await openResponse(servers, callOf(false, wanted), signal, unusable);
      const state = startStream({ prefix, choices: wanted });
      try {
        const body = readBody(response, target, signal);
        const deltas: Delta[] = [];
        reduceResponse(state, body instanceof Promise ? await body : body, deltas);
        const more = completionOf(state, deltas, usageOf(state, characters));
        if (whole) addCompletion(whole, more);
        else whole = more;
      } catch (error) {
        unusable = toUnusable(error, target, signal);
        lost = addLost(lost, unusable.error, state, characters);
      }
    } while (!whole || whole.choices.length < choices);
    whole.choices.length = choices;
    if (lost) addWholeUsage(whole.usage, lost);
    return whole;
  }

  async function* stream(request: CompletionCall, signal: AbortSignal): AsyncGenerator<Delta[], undefined> {
    const { choices, prefix, characters, callOf } = request;
    let usage: EngineUsage | undefined;
    let unusable: UnusableAnswer | undefined;
    let lost: EngineUsage | undefined;
    for (let done = 0; done < choices; ) {
      const wanted = choices - done;
      const { response, target } = await openResponse(servers, callOf(true, wanted), signal, unusable);
      const state = startStream({ offset: done, prefix, choices: wanted });
      let queue: DeltaQueue | undefined;
      try {
        if (isEventStream(response)) {
          queue = new DeltaQueue(response, state, streamBytesMax(request.maxTokens, wanted), signal);
          yield* queue;
        } else yield await readWhole(response, target, state, signal);
      } catch (error) {
        unusable = toUnusable(error, target, signal);
        if (queue?.isBroken) target.breaker.failed();
        lost = addLost(lost, unusable.error, state, characters);
        // Another server may answer as long as the reader has nothing of this one.
        if (!queue?.isStarted) continue;
        if (lost) yield [{ kind: 'usage', usage: sumOf(usage, lost) }];
        throw unusable.error;
      }
      done += state.choices.length;
      const spent = usageOf(state, characters);
      if (usage) addUsage(usage, spent);
      else usage = spent;
    }
    if (usage) yield [{ kind: 'usage', usage: lost ? sumOf(usage, lost) : usage }];
  }

  /** The first answer that can be used, of whichever server. */
  async function ask<T>(
    call: UpstreamCall,
    limits: AnswerLimits,
    signal: AbortSignal,
    read: (body: Record<string, unknown>) => T,
  ): Promise<T> {
    for (let unusable: UnusableAnswer | undefined; ; ) {
      const { response, target } = await openResponse(servers, call, signal, unusable);
      try {
        return read(await readJson(response, target, limits, signal));
      } catch (error) {
        unusable = toUnusable(error, target, signal);
      }
    }
  }

  const embed: Engine['embed'] = (texts, signal, dimension) =>
    ask(embeddingsCall(texts, dimension), ANSWER_LIMITS.embeddings, signal, (body) => readEmbeddings(body, texts));

  const readDocument = (request: OcrRequest, signal: AbortSignal): Promise<OcrResult> =>
    ask(ocrCall(request), ANSWER_LIMITS.ocr, signal, readPages);

  async function* speak(request: SpeakRequest, signal: AbortSignal): AsyncGenerator<Float32Array, void> {
    for (let unusable: UnusableAnswer | undefined; ; ) {
      const { response, target } = await openResponse(servers, speechCall(request), signal, unusable);
      let isStarted = false;
      try {
        for await (const piece of readSpeech(response, target, request.text, signal)) {
          isStarted = true;
          yield piece;
        }
        return;
      } catch (error) {
        unusable = toUnusable(error, target, signal);
        if (isStarted) throw unusable.error;
      }
    }
  }

  return {
    ...(options.embeds ? { embed } : {}),
    ...(options.ocr ? { ocr: { read: readDocument } } : {}),
    ...(options.speech ? { speech: speechOf(options.speech, speak) } : {}),
    complete: (request, signal) => complete(chatCompletion(request), signal),
    stream: (request, signal) => stream(chatCompletion(request), signal),
    completeFim: (request, signal) => complete(fimCompletion(request), signal),
    streamFim: (request, signal) => stream(fimCompletion(request), signal),
    moderate: (texts, signal) =>
      ask(moderationCall(texts), ANSWER_LIMITS.moderation, signal, (body) => readModeration(body, texts)),
    state() {
      const waits = targets.map((target) => target.breaker.waitMs());
      const waitMs = Math.min(...waits);
      if (waitMs === 0) return { kind: 'ready' };
      const reason = 'The model server has failed several times in a row.';
      return { kind: 'waiting', reason, retryAfterSeconds: Math.ceil(waitMs / 1000) };
    },
    close: async () => {
      if (!options.connections) await connections.close();
    },
  };
}

function speechOf(
  { name, voices, defaultVoice, clones }: NonNullable<UpstreamEngineOptions['speech']>,
  speak: SpeechEngine['speak'],
): SpeechEngine {
  return {
    name,
    sampleRate: PCM_RATE,
    // The server does not report languages.
    voices: voices.map((slug) => ({ slug, name: slug, languages: [], gender: null })),
    defaultVoice,
    clones,
    speak: ({ text, voice, refAudio }, signal) =>
      speak({ text, voice, ...(clones && refAudio !== undefined ? { refAudio } : {}) }, signal),
  };
}

/** Throws when the client has left: then nothing was wrong with the answer. */
function toUnusable(error: unknown, target: KnownTarget, signal: AbortSignal): UnusableAnswer {
  if (signal.aborted) throw error;
  return { target, error: classifyAnswer(error) };
}

/** What a server had counted before its answer turned out to be unusable: the tokens were spent all the same. */
function addLost(
  lost: EngineUsage | undefined,
  error: EngineFailure,
  state: StreamState,
  characters: number,
): EngineUsage | undefined {
  if (!state.usage) return lost;
  const all = sumOf(lost, usageOf(state, characters));
  error.usage = all;
  return all;
}

type CompletionCall = {
  choices: number;
  maxTokens: number | undefined;
  prefix: string;
  characters: number;
  callOf(stream: boolean, choices: number): UpstreamCall;
};

function chatCompletion(request: ChatRequest): CompletionCall {
  const last = request.messages.at(-1);
  return {
    choices: request.choices,
    maxTokens: request.maxTokens,
    prefix: last?.role === 'assistant' && last.prefix ? last.content : '',
    characters: countCharacters(request),
    callOf: (stream, choices) => chatCall(request, stream, choices),
  };
}

function fimCompletion(request: FimRequest): CompletionCall {
  return {
    choices: request.choices,
    maxTokens: request.maxTokens,
    prefix: '',
    characters: request.prompt.length + request.suffix.length,
    callOf: (stream, choices) => fimCall(request, stream, choices),
  };
}

function isEventStream(response: Exchange): boolean {
  return /^text\/event-stream\b/i.test(String(response.headers['content-type'] ?? ''));
}

function readBody(response: Exchange, target: KnownTarget, signal: AbortSignal): WireResponse | Promise<WireResponse> {
  const body = readJson(response, target, ANSWER_LIMITS.completion, signal);
  return body instanceof Promise ? body.then(withChoices) : withChoices(body);
}

function withChoices(body: WireResponse): WireResponse {
  if (!Array.isArray(body.choices)) throw engineErrors.upstream_invalid_response();
  return body;
}

/** A server that cannot stream replies at once; its reply becomes one batch of deltas. */
async function readWhole(
  response: Exchange,
  target: KnownTarget,
  state: StreamState,
  signal: AbortSignal,
): Promise<Delta[]> {
  const deltas: Delta[] = [];
  reduceResponse(state, await readBody(response, target, signal), deltas);
  endStream(state);
  return deltas;
}

/** The length of everything the model reads, for servers that do not count tokens. */
function countCharacters({ messages, tools }: ChatRequest): number {
  let characters = 0;
  for (const message of messages) {
    if (typeof message.content === 'string') characters += message.content.length;
    else for (const part of message.content) characters += part.type === 'text' ? part.text.length : 0;
    if (message.role === 'assistant')
      for (const call of message.toolCalls) characters += call.name.length + call.arguments.length;
  }
  for (const tool of tools) characters += tool.name.length + tool.description.length;
  return characters;
}
