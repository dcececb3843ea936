import { type Clock, systemClock } from '../../kit/base/clock.ts';
import type {
  ChatRequest,
  Completion,
  Delta,
  Embeddings,
  Engine,
  EngineUsage,
  FimRequest,
  Reranking,
  SpeakRequest,
  SpeechEngine,
  Tally,
} from '../engine.ts';
import { engineErrors } from '../errors.ts';
import type { OcrRequest, OcrResult } from '../ocr/ocr-engine.ts';
import { countPrompt } from '../tally-deltas.ts';
import type { ListenOptions, LiveTranscript, TranscriptPart } from '../transcribe/transcription-engine.ts';
import type { BreakerSettings } from './breaker.ts';
import {
  chatCall,
  classificationCall,
  embeddingsCall,
  fimCall,
  moderationCall,
  ocrCall,
  rerankCall,
  speechCall,
} from './build-calls.ts';
import { classifyAnswer } from './classify-failure.ts';
import { createUpstreamConnections, type UpstreamConnections } from './connections.ts';
import { DeltaQueue } from './delta-queue.ts';
import type { Exchange } from './exchange.ts';
import { ANSWER_LIMITS, type AnswerLimits, streamBytesMax } from './limits.ts';
import { openLive } from './open-live.ts';
import { openResponse, type RetrySettings, type UnusableAnswer, type UpstreamCall } from './open-response.ts';
import { probeTargets } from './probe.ts';
import { readClassification } from './read-classification.ts';
import { addCompletion, completionOf, joinUsage } from './read-completion.ts';
import { readEmbeddings } from './read-embeddings.ts';
import { readJson } from './read-json.ts';
import { readModeration } from './read-moderation.ts';
import { readPages } from './read-pages.ts';
import { readScores } from './read-scores.ts';
import { PCM_RATE } from './read-sound.ts';
import { readSpeech } from './read-speech.ts';
import { readTranscript } from './read-transcript.ts';
import { brokenUsageOf, endStream, reduceResponse, type StreamState, startStream, usageOf } from './reduce-chunks.ts';
import { estimateTokens, toUsage, type WireResponse } from './response-parts.ts';
import { startStreamed, streamTranscript } from './stream-transcript.ts';
import { type KnownTarget, knowTarget, type UpstreamTarget } from './target.ts';
import { transcriptionCall, type UpstreamAudio } from './transcription-call.ts';

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
  /** True for a model that tells how relevant texts are. */
  reranks?: boolean;
  /** True for a model that reads documents. */
  ocr?: boolean;
  /** True for a model that transcribes. */
  transcribes?: boolean;
  /** Whether it also follows live audio. */
  listens?: boolean;
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
    const promptTokens = estimateTokens(characters);
    let whole: Completion | undefined;
    let unusable: UnusableAnswer | undefined;
    // A server that ignores `n` is asked again for what is missing.
    do {
      if (whole) await tally?.admit();
      const wanted = choices - (whole?.choices.length ?? 0);
      const call = callOf(false, wanted);
      const { response, target } = await openResponse(servers, call, signal, tally, promptTokens, unusable);
      const state = startStream({ prefix, choices: wanted, measures: request.measures });
      let more: Completion | undefined;
      try {
        const deltas: Delta[] = [];
        const body = readJson(response, target, limitsOf(state), signal);
        reduceWhole(state, body instanceof Promise ? await body : body, deltas);
        more = completionOf(state, deltas, usageOf(state, characters));
        if (whole) addCompletion(whole, more);
        else whole = more;
      } catch (error) {
        unusable = toUnusable(error, target, signal);
      } finally {
        tally?.add(more?.usage ?? brokenUsageOf(state, characters));
      }
    } while (!whole || whole.choices.length < choices);
    whole.choices.length = choices;
    return whole;
  }

  async function* stream(
    request: CompletionCall,
    signal: AbortSignal,
    tally?: Tally,
  ): AsyncGenerator<Delta[], undefined> {
    const { choices, prefix, characters, callOf } = request;
    const promptTokens = estimateTokens(characters);
    let usage: EngineUsage | undefined;
    let unusable: UnusableAnswer | undefined;
    for (let done = 0; done < choices; ) {
      if (done > 0) await tally?.admit();
      const wanted = choices - done;
      const call = callOf(true, wanted);
      const { response, target } = await openResponse(servers, call, signal, tally, promptTokens, unusable);
      const state = startStream({ offset: done, prefix, choices: wanted, measures: request.measures });
      let queue: DeltaQueue | undefined;
      let spent: EngineUsage | undefined;
      try {
        if (isEventStream(response)) {
          queue = new DeltaQueue(response, state, streamBytesMax(request.maxTokens, wanted), signal);
          yield* queue;
        } else yield await readWhole(response, target, state, signal);
        spent = usageOf(state, characters);
      } catch (error) {
        unusable = toUnusable(error, target, signal);
        if (queue?.isBroken) target.breaker.failed();
        // Another server may answer as long as the reader has nothing of this one.
        if (queue?.isStarted) throw unusable.error;
      } finally {
        // Also for a reader that stopped early.
        tally?.add(spent ?? brokenUsageOf(state, characters));
      }
      if (!spent) continue;
      done += state.choices.length;
      usage = usage ? joinUsage(usage, spent) : spent;
    }
    if (usage) yield [{ kind: 'usage', usage }];
  }

  /** The first answer that can be used, of whichever server. One that `read` throws for counts as well. */
  async function ask<T>(
    call: UpstreamCall,
    limits: AnswerLimits,
    signal: AbortSignal,
    { tally, promptTokens, read }: AskOptions<T>,
  ): Promise<T> {
    for (let unusable: UnusableAnswer | undefined; ; ) {
      const { response, target } = await openResponse(servers, call, signal, tally, promptTokens, unusable);
      const spent: EngineUsage = { promptTokens, completionTokens: 0 };
      try {
        const body = await readJson(response, target, limits, signal);
        Object.assign(spent, toUsage(body.usage));
        const result = read(body);
        spent.promptTokens = result.spent;
        return result.value;
      } catch (error) {
        unusable = toUnusable(error, target, signal);
      } finally {
        tally?.add(spent);
      }
    }
  }

  function embed(texts: string[], signal: AbortSignal, dimension?: number, tally?: Tally): Promise<Embeddings> {
    const promptTokens = estimateTokens(lengthOf(texts));
    const read = (body: WireBody) => {
      const value = readEmbeddings(body, texts);
      return { value, spent: value.promptTokens };
    };
    return ask(embeddingsCall(texts, dimension), ANSWER_LIMITS.embeddings, signal, { tally, promptTokens, read });
  }

  function rerank(query: string, texts: string[], signal: AbortSignal, tally?: Tally): Promise<Reranking> {
    const promptTokens = estimateTokens(lengthOf(texts) + query.length);
    const read = (body: WireBody) => {
      const value = readScores(body, query, texts);
      return { value, spent: value.promptTokens };
    };
    return ask(rerankCall(query, texts), ANSWER_LIMITS.reranking, signal, { tally, promptTokens, read });
  }

  /** Pages are what a document costs. */
  function readDocument(request: OcrRequest, signal: AbortSignal, tally?: Tally): Promise<OcrResult> {
    const read = (body: WireBody) => {
      const value = readPages(body);
      return { value, spent: value.pages.length };
    };
    return ask(ocrCall(request), ANSWER_LIMITS.ocr, signal, { tally, promptTokens: 1, read });
  }

  /** Seconds are what audio costs. */
  async function* transcribe(
    request: UpstreamAudio,
    signal: AbortSignal,
    tally?: Tally,
  ): AsyncGenerator<TranscriptPart[], void> {
    const call = transcriptionCall(request);
    for (let unusable: UnusableAnswer | undefined; ; ) {
      const { response, target } = await openResponse(servers, call, signal, tally, 1, unusable);
      const state = startStreamed(request.hasWords);
      let isStarted = false;
      try {
        if (isEventStream(response)) {
          for await (const parts of streamTranscript(response, target, state, signal)) {
            isStarted = true;
            yield parts;
          }
        } else {
          const body = await readJson(response, target, ANSWER_LIMITS.transcription, signal);
          const { parts, seconds, outputTokens } = readTranscript(body, request.hasWords);
          Object.assign(state, { seconds, outputTokens });
          isStarted = true;
          yield parts;
        }
        return;
      } catch (error) {
        unusable = toUnusable(error, target, signal);
        if (isStarted) throw unusable.error;
      } finally {
        const { seconds, lastEnd, outputTokens, text } = state;
        const completionTokens = outputTokens || estimateTokens(text.length);
        tally?.add({ promptTokens: Math.max(1, Math.ceil(Math.max(seconds, lastEnd))), completionTokens });
      }
    }
  }

  function listen(wanted: ListenOptions, signal: AbortSignal, tally?: Tally): Promise<LiveTranscript> {
    return openLive(targets, wanted, signal, {
      tally,
      transcribe: (request, attempts) => transcribe(request, signal, attempts),
    });
  }

  async function* speak(request: SpeakRequest, signal: AbortSignal, tally?: Tally): AsyncGenerator<Float32Array, void> {
    const promptTokens = estimateTokens(request.text.length);
    for (let unusable: UnusableAnswer | undefined; ; ) {
      const call = speechCall(request);
      const { response, target } = await openResponse(servers, call, signal, tally, promptTokens, unusable);
      tally?.add({ promptTokens, completionTokens: 0 });
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
    ...(options.reranks ? { rerank } : {}),
    ...(options.ocr ? { ocr: { read: readDocument } } : {}),
    ...(options.transcribes ? { transcription: { transcribe, ...(options.listens ? { listen } : {}) } } : {}),
    ...(options.speech ? { speech: speechOf(options.speech, speak) } : {}),
    complete: (request, signal, tally) => complete(chatCompletion(request), signal, tally),
    stream: (request, signal, tally) => stream(chatCompletion(request), signal, tally),
    completeFim: (request, signal, tally) => complete(fimCompletion(request), signal, tally),
    streamFim: (request, signal, tally) => stream(fimCompletion(request), signal, tally),
    moderate(texts, signal, tally) {
      const promptTokens = estimateTokens(lengthOf(texts));
      const read = (body: WireBody) => {
        const value = readModeration(body, texts);
        return { value, spent: value.promptTokens };
      };
      return ask(moderationCall(texts), ANSWER_LIMITS.moderation, signal, { tally, promptTokens, read });
    },
    classify(texts, signal, tally) {
      const promptTokens = estimateTokens(lengthOf(texts));
      const read = (body: WireBody) => {
        const value = readClassification(body, texts);
        return { value, spent: value.promptTokens };
      };
      return ask(classificationCall(texts), ANSWER_LIMITS.classification, signal, { tally, promptTokens, read });
    },
    state() {
      const waits = targets.map((target) => target.breaker.waitMs());
      const waitMs = Math.min(...waits);
      if (waitMs === 0) return { kind: 'ready' };
      const reason = 'The model server has failed several times in a row.';
      return { kind: 'waiting', reason, retryAfterSeconds: Math.ceil(waitMs / 1000) };
    },
    probe: () => probeTargets(targets, connections.permits),
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

type WireBody = Record<string, unknown>;

/** `spent` is what the result cost in prompt tokens, or in pages. */
type AskOptions<T> = {
  tally: Tally | undefined;
  promptTokens: number;
  read(body: WireBody): { value: T; spent: number };
};

type CompletionCall = {
  choices: number;
  maxTokens: number | undefined;
  /** Whether log probabilities are wanted. */
  measures: boolean;
  prefix: string;
  characters: number;
  callOf(stream: boolean, choices: number): UpstreamCall;
};

function chatCompletion(request: ChatRequest): CompletionCall {
  const last = request.messages.at(-1);
  return {
    choices: request.choices,
    maxTokens: request.maxTokens,
    measures: request.logprobs !== undefined || request.promptLogprobs !== undefined,
    prefix: last?.role === 'assistant' && last.prefix ? last.content : '',
    characters: countPrompt(request),
    callOf: (stream, choices) => chatCall(request, stream, choices),
  };
}

function fimCompletion(request: FimRequest): CompletionCall {
  return {
    choices: request.choices,
    maxTokens: request.maxTokens,
    measures: false,
    prefix: '',
    characters: countPrompt(request),
    callOf: (stream, choices) => fimCall(request, stream, choices),
  };
}

function limitsOf({ measures }: StreamState): AnswerLimits {
  return measures ? ANSWER_LIMITS.measured : ANSWER_LIMITS.completion;
}

function isEventStream(response: Exchange): boolean {
  return /^text\/event-stream\b/i.test(String(response.headers['content-type'] ?? ''));
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
  reduceWhole(state, await readJson(response, target, limitsOf(state), signal), deltas);
  endStream(state);
  return deltas;
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
