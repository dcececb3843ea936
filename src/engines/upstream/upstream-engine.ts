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
} from '../engine.ts';
import type { OcrRequest, OcrResult } from '../ocr/ocr-engine.ts';
import type { WireAnswer } from './answer-parts.ts';
import type { BreakerSettings } from './breaker.ts';
import { createUpstreamConnections, type UpstreamConnections } from './connections.ts';
import { countCharacters } from './count-characters.ts';
import { DeltaQueue } from './delta-queue.ts';
import type { Exchange } from './exchange.ts';
import { notUnderstood } from './judge-failure.ts';
import { openAnswer, type Question, type RetrySettings } from './open-answer.ts';
import {
  chatQuestion,
  embeddingsQuestion,
  fimQuestion,
  moderationQuestion,
  ocrQuestion,
  speechQuestion,
} from './questions.ts';
import { addCompletion, addUsage, completionOf } from './read-completion.ts';
import { readEmbeddings } from './read-embeddings.ts';
import { readJson } from './read-json.ts';
import { readModeration } from './read-moderation.ts';
import { readPages } from './read-pages.ts';
import { PCM_RATE } from './read-sound.ts';
import { endStream, reduceAnswer, startStream, usageOf } from './reduce-chunks.ts';
import { readSpeech } from './speak.ts';
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

  async function complete(request: Asked, signal: AbortSignal): Promise<Completion> {
    const { choices, prefix, characters, questionOf } = request;
    let whole: Completion | undefined;
    // A server that ignores `n` is asked again for what is missing.
    do {
      const question = questionOf(false, choices - (whole?.choices.length ?? 0));
      const { answer, target } = await openAnswer(servers, question, signal);
      const body = readBody(answer, target, signal);
      const state = startStream({ prefix });
      const deltas: Delta[] = [];
      reduceAnswer(state, body instanceof Promise ? await body : body, deltas);
      const more = completionOf(state, deltas, usageOf(state, characters));
      if (whole) addCompletion(whole, more);
      else whole = more;
    } while (whole.choices.length < choices);
    whole.choices.length = choices;
    return whole;
  }

  async function* stream(request: Asked, signal: AbortSignal): AsyncGenerator<Delta[], undefined> {
    let usage: EngineUsage | undefined;
    for (let done = 0; done < request.choices; ) {
      const question = request.questionOf(true, request.choices - done);
      const { answer, target } = await openAnswer(servers, question, signal);
      const state = startStream({ offset: done, prefix: request.prefix });
      try {
        if (isEventStream(answer)) yield* new DeltaQueue(answer, state, signal);
        else yield await readWhole(answer, target, state, signal);
      } catch (error) {
        if (!signal.aborted) target.breaker.failed();
        throw error;
      }
      done += state.choices.length;
      const spent = usageOf(state, request.characters);
      if (usage) addUsage(usage, spent);
      else usage = { ...spent };
    }
    if (usage) yield [{ kind: 'usage', usage }];
  }

  async function embed(texts: string[], signal: AbortSignal, dimension?: number): Promise<Embeddings> {
    const { answer, target } = await openAnswer(servers, embeddingsQuestion(texts, dimension), signal);
    return readEmbeddings(await readJson(answer, target, signal), texts);
  }

  async function readDocument(request: OcrRequest, signal: AbortSignal): Promise<OcrResult> {
    const { answer, target } = await openAnswer(servers, ocrQuestion(request), signal);
    return readPages(await readJson(answer, target, signal));
  }

  async function* speak(request: SpeakRequest, signal: AbortSignal): AsyncGenerator<Float32Array, void> {
    const { answer, target } = await openAnswer(servers, speechQuestion(request), signal);
    yield* readSpeech(answer, target, signal);
  }

  return {
    ...(options.embeds ? { embed } : {}),
    ...(options.ocr ? { ocr: { read: readDocument } } : {}),
    ...(options.speech ? { speech: speechOf(options.speech, speak) } : {}),
    complete: (request, signal) => complete(askChat(request), signal),
    stream: (request, signal) => stream(askChat(request), signal),
    completeFim: (request, signal) => complete(askFim(request), signal),
    streamFim: (request, signal) => stream(askFim(request), signal),
    async moderate(texts, signal) {
      const { answer, target } = await openAnswer(servers, moderationQuestion(texts), signal);
      return readModeration(await readJson(answer, target, signal), texts);
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
    // Of its languages the server tells nothing.
    voices: voices.map((slug) => ({ slug, name: slug, languages: [], gender: null })),
    defaultVoice,
    clones,
    speak: ({ text, voice, refAudio }, signal) =>
      speak({ text, voice, ...(clones && refAudio !== undefined ? { refAudio } : {}) }, signal),
  };
}

type Asked = {
  choices: number;
  prefix: string;
  characters: number;
  questionOf(stream: boolean, choices: number): Question;
};

function askChat(request: ChatRequest): Asked {
  const last = request.messages.at(-1);
  return {
    choices: request.choices,
    prefix: last?.role === 'assistant' && last.prefix ? last.content : '',
    characters: countCharacters(request),
    questionOf: (stream, choices) => chatQuestion(request, stream, choices),
  };
}

function askFim(request: FimRequest): Asked {
  return {
    choices: request.choices,
    prefix: '',
    characters: request.prompt.length + request.suffix.length,
    questionOf: (stream, choices) => fimQuestion(request, stream, choices),
  };
}

function isEventStream(answer: Exchange): boolean {
  return String(answer.headers['content-type'] ?? '').startsWith('text/event-stream');
}

function readBody(answer: Exchange, target: KnownTarget, signal: AbortSignal): WireAnswer | Promise<WireAnswer> {
  const body = readJson(answer, target, signal);
  return body instanceof Promise ? body.then(withChoices) : withChoices(body);
}

function withChoices(body: WireAnswer): WireAnswer {
  if (!Array.isArray(body.choices)) throw notUnderstood();
  return body;
}

/** A server that cannot stream answers whole, and its answer is one delta after another. */
async function readWhole(
  answer: Exchange,
  target: KnownTarget,
  state: ReturnType<typeof startStream>,
  signal: AbortSignal,
): Promise<Delta[]> {
  const deltas: Delta[] = [];
  reduceAnswer(state, await readBody(answer, target, signal), deltas);
  endStream(state);
  return deltas;
}
