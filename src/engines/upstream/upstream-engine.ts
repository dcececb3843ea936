import { type Clock, systemClock } from '../../kit/base/clock.ts';
import type { ChatRequest, Completion, Delta, Engine, EngineUsage, FimRequest } from '../engine.ts';
import type { WireAnswer } from './answer-parts.ts';
import type { BreakerSettings } from './breaker.ts';
import { createUpstreamConnections, type UpstreamConnections } from './connections.ts';
import { countCharacters } from './count-characters.ts';
import { DeltaQueue } from './delta-queue.ts';
import type { Exchange } from './exchange.ts';
import { judgeError, notUnderstood } from './judge-failure.ts';
import { openAnswer, type Question, type RetrySettings } from './open-answer.ts';
import { chatQuestion, fimQuestion } from './questions.ts';
import { addCompletion, addUsage, completionOf } from './read-completion.ts';
import { endStream, reduceAnswer, startStream, usageOf } from './reduce-chunks.ts';
import { type KnownTarget, knowTarget, type UpstreamTarget } from './target.ts';

const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const RETRY: RetrySettings = { retriesMax: 2, backoffMs: 250, retryAfterMsMax: 5000 };
const BREAKER: BreakerSettings = { failuresMax: 5, openMs: 10_000 };

export type UpstreamEngineOptions = {
  /** In the order in which they are tried. */
  targets: UpstreamTarget[];
  /** Shared by all engines; without it the engine has its own and closes it. */
  connections?: UpstreamConnections;
  now?: Clock;
  retry?: Partial<RetrySettings>;
  breaker?: Partial<BreakerSettings>;
};

/** An engine for any server that speaks the OpenAI API: vLLM, Ollama, llama.cpp, Mistral, another Tramontane. */
export function createUpstreamEngine(options: UpstreamEngineOptions): Engine {
  const connections = options.connections ?? createUpstreamConnections();
  const now = options.now ?? systemClock;
  const breaker = { ...BREAKER, ...options.breaker };
  const targets = options.targets.map((target) => knowTarget(target, breaker, now));
  const servers = { targets, dispatcher: connections.dispatcher, retry: { ...RETRY, ...options.retry } };

  async function complete(request: Asked, signal: AbortSignal): Promise<Completion> {
    const { choices, prefix, characters, questionOf } = request;
    let whole: Completion | undefined;
    // A server that ignores `n` is asked again for what is missing.
    do {
      const question = questionOf(false, choices - (whole?.choices.length ?? 0));
      const { answer, target } = await openAnswer(servers, question, signal);
      const text = textOf(answer, target, signal);
      const state = startStream({ prefix });
      const deltas: Delta[] = [];
      reduceAnswer(state, parseBody(typeof text === 'string' ? text : await text), deltas);
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

  return {
    complete: (request, signal) => complete(askChat(request), signal),
    stream: (request, signal) => stream(askChat(request), signal),
    completeFim: (request, signal) => complete(askFim(request), signal),
    streamFim: (request, signal) => stream(askFim(request), signal),
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

/** At once when all of it has come already, as it nearly always has. */
function textOf(answer: Exchange, target: KnownTarget, signal: AbortSignal): string | Promise<string> {
  const text = answer.text(ANSWER_BYTES_MAX);
  if (typeof text === 'string') return text;
  return text.catch((error: unknown) => {
    if (signal.aborted) throw error;
    target.breaker.failed();
    throw judgeError(error).error;
  });
}

function parseBody(text: string): WireAnswer {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && Array.isArray((body as WireAnswer).choices)) return body;
  } catch {
    // Not JSON; the text itself is not for anybody's eyes.
  }
  throw notUnderstood();
}

/** A server that cannot stream answers whole, and its answer is one delta after another. */
async function readWhole(
  answer: Exchange,
  target: KnownTarget,
  state: ReturnType<typeof startStream>,
  signal: AbortSignal,
): Promise<Delta[]> {
  const deltas: Delta[] = [];
  reduceAnswer(state, parseBody(await textOf(answer, target, signal)), deltas);
  endStream(state);
  return deltas;
}
