import { type Clock, systemClock } from '../../kit/base/clock.ts';
import type {
  ChatRequest,
  Completion,
  Delta,
  Embeddings,
  Engine,
  EngineUsage,
  FimRequest,
  SpeakRequest,
  SpeechEngine,
  Tally,
} from '../engine.ts';
import { engineErrors } from '../errors.ts';
import type { OcrRequest, OcrResult } from '../ocr/ocr-engine.ts';
import { countPrompt } from '../tally-deltas.ts';
import type { BreakerSettings } from './breaker.ts';
import { chatCall, embeddingsCall, fimCall, moderationCall, ocrCall, speechCall } from './build-calls.ts';
import { createUpstreamConnections, type UpstreamConnections } from './connections.ts';
import { DeltaQueue } from './delta-queue.ts';
import type { Exchange } from './exchange.ts';
import { openResponse, type RetrySettings, type UpstreamCall } from './open-response.ts';
import { addCompletion, completionOf, joinUsage } from './read-completion.ts';
import { readEmbeddings } from './read-embeddings.ts';
import { readJson } from './read-json.ts';
import { readModeration } from './read-moderation.ts';
import { readPages } from './read-pages.ts';
import { PCM_RATE } from './read-sound.ts';
import { readSpeech } from './read-speech.ts';
import { brokenUsageOf, endStream, reduceResponse, type StreamState, startStream, usageOf } from './reduce-chunks.ts';
import { estimateTokens, toUsage, type WireResponse } from './response-parts.ts';
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

  async function complete(request: CompletionCall, signal: AbortSignal, tally?: Tally): Promise<Completion> {
    const { choices, prefix, characters, callOf } = request;
    let whole: Completion | undefined;
    // A server that ignores `n` is asked again for what is missing.
    do {
      if (whole) await tally?.admit();
      const call = callOf(false, choices - (whole?.choices.length ?? 0));
      const { response, target } = await openResponse(servers, call, signal, tally, estimateTokens(characters));
      const state = startStream({ prefix });
      const deltas: Delta[] = [];
      let more: Completion;
      try {
        const body = readJson(response, target, signal);
        reduceWhole(state, body instanceof Promise ? await body : body, deltas);
        more = completionOf(state, deltas, usageOf(state, characters));
      } catch (error) {
        tally?.add(brokenUsageOf(state, characters));
        throw error;
      }
      tally?.add(more.usage);
      if (whole) addCompletion(whole, more);
      else whole = more;
    } while (whole.choices.length < choices);
    whole.choices.length = choices;
    return whole;
  }

  async function* stream(
    request: CompletionCall,
    signal: AbortSignal,
    tally?: Tally,
  ): AsyncGenerator<Delta[], undefined> {
    const { characters } = request;
    let usage: EngineUsage | undefined;
    for (let done = 0; done < request.choices; ) {
      if (done > 0) await tally?.admit();
      const call = request.callOf(true, request.choices - done);
      const { response, target } = await openResponse(servers, call, signal, tally, estimateTokens(characters));
      const state = startStream({ offset: done, prefix: request.prefix });
      let spent: EngineUsage | undefined;
      try {
        if (isEventStream(response)) yield* new DeltaQueue(response, state, signal);
        else yield await readWhole(response, target, state, signal);
        spent = usageOf(state, characters);
      } catch (error) {
        if (!signal.aborted) target.breaker.failed();
        throw error;
      } finally {
        // Also for a reader that stopped early.
        tally?.add(spent ?? brokenUsageOf(state, characters));
      }
      done += state.choices.length;
      usage = usage ? joinUsage(usage, spent) : spent;
    }
    if (usage) yield [{ kind: 'usage', usage }];
  }

  /** A request without tokens of a completion. `read` throws for an answer that cannot be used, which counts as well. */
  async function ask<T>(
    call: UpstreamCall,
    signal: AbortSignal,
    { tally, promptTokens, read }: AskOptions<T>,
  ): Promise<T> {
    const { response, target } = await openResponse(servers, call, signal, tally, promptTokens);
    let spent: EngineUsage | undefined;
    try {
      const body = await readJson(response, target, signal);
      spent = toUsage(body.usage);
      return read(body);
    } finally {
      tally?.add(spent ?? { promptTokens, completionTokens: 0 });
    }
  }

  function embed(texts: string[], signal: AbortSignal, dimension?: number, tally?: Tally): Promise<Embeddings> {
    const promptTokens = estimateTokens(lengthOf(texts));
    const read = (body: WireBody) => readEmbeddings(body, texts);
    return ask(embeddingsCall(texts, dimension), signal, { tally, promptTokens, read });
  }

  async function readDocument(request: OcrRequest, signal: AbortSignal, tally?: Tally): Promise<OcrResult> {
    const { response, target } = await openResponse(servers, ocrCall(request), signal, tally, 1);
    let pages = 1;
    try {
      const result = readPages(await readJson(response, target, signal));
      pages = result.pages.length;
      return result;
    } finally {
      tally?.add({ promptTokens: pages, completionTokens: 0 });
    }
  }

  async function* speak(request: SpeakRequest, signal: AbortSignal, tally?: Tally): AsyncGenerator<Float32Array, void> {
    const promptTokens = estimateTokens(request.text.length);
    const { response, target } = await openResponse(servers, speechCall(request), signal, tally, promptTokens);
    tally?.add({ promptTokens, completionTokens: 0 });
    yield* readSpeech(response, target, signal);
  }

  return {
    ...(options.embeds ? { embed } : {}),
    ...(options.ocr ? { ocr: { read: readDocument } } : {}),
    ...(options.speech ? { speech: speechOf(options.speech, speak) } : {}),
    complete: (request, signal, tally) => complete(chatCompletion(request), signal, tally),
    stream: (request, signal, tally) => stream(chatCompletion(request), signal, tally),
    completeFim: (request, signal, tally) => complete(fimCompletion(request), signal, tally),
    streamFim: (request, signal, tally) => stream(fimCompletion(request), signal, tally),
    moderate(texts, signal, tally) {
      const promptTokens = estimateTokens(lengthOf(texts));
      return ask(moderationCall(texts), signal, { tally, promptTokens, read: (body) => readModeration(body, texts) });
    },
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
    talliesText: true,
    speak: ({ text, voice, refAudio }, signal, tally) =>
      speak({ text, voice, ...(clones && refAudio !== undefined ? { refAudio } : {}) }, signal, tally),
  };
}

type WireBody = Record<string, unknown>;

type AskOptions<T> = { tally: Tally | undefined; promptTokens: number; read(body: WireBody): T };

type CompletionCall = {
  choices: number;
  prefix: string;
  characters: number;
  callOf(stream: boolean, choices: number): UpstreamCall;
};

function chatCompletion(request: ChatRequest): CompletionCall {
  const last = request.messages.at(-1);
  return {
    choices: request.choices,
    prefix: last?.role === 'assistant' && last.prefix ? last.content : '',
    characters: countPrompt(request),
    callOf: (stream, choices) => chatCall(request, stream, choices),
  };
}

function fimCompletion(request: FimRequest): CompletionCall {
  return {
    choices: request.choices,
    prefix: '',
    characters: countPrompt(request),
    callOf: (stream, choices) => fimCall(request, stream, choices),
  };
}

function isEventStream(response: Exchange): boolean {
  return String(response.headers['content-type'] ?? '').startsWith('text/event-stream');
}

/** Its usage counts even when there is nothing else to read in it. */
function reduceWhole(state: StreamState, body: WireResponse, deltas: Delta[]): void {
  reduceResponse(state, body, deltas);
  if (!Array.isArray(body.choices)) throw engineErrors.upstream_invalid_response();
}

/** A server that cannot stream replies at once; its reply becomes one batch of deltas. */
async function readWhole(
  response: Exchange,
  target: KnownTarget,
  state: StreamState,
  signal: AbortSignal,
): Promise<Delta[]> {
  const deltas: Delta[] = [];
  reduceWhole(state, await readJson(response, target, signal), deltas);
  endStream(state);
  return deltas;
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
