import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import type { ApiError } from '../../kit/http/index.ts';
import { type Exchange, exchange } from './exchange.ts';
import { circuitOpen, type Judgement, judgeError, judgeStatus } from './judge-failure.ts';
import type { KnownTarget } from './target.ts';

const REFUSAL_BYTES_MAX = 64 * 1024;

export type RetrySettings = { retriesMax: number; backoffMs: number; retryAfterMsMax: number };

/** What to ask, in the words of the target that is asked. */
export type Question = {
  ask(target: KnownTarget): { path: string; body: string };
  /** Learns from a refusal how to put the question; true when it is worth asking again at once. */
  learn(target: KnownTarget, status: number, text: string): boolean;
};

type Options = { targets: KnownTarget[]; dispatcher: Dispatcher; retry: RetrySettings };

/** Asks the targets in their order until one begins to answer. Nothing is repeated once it has begun. */
export async function openAnswer(
  { targets, dispatcher, retry }: Options,
  question: Question,
  signal: AbortSignal,
): Promise<{ answer: Exchange; target: KnownTarget }> {
  let failure: ApiError | undefined;
  for (const target of targets) {
    if (!target.breaker.admit()) {
      failure ??= circuitOpen(target.breaker.waitMs());
      continue;
    }
    const outcome = await askTarget(target, question, { dispatcher, retry, signal });
    if ('answer' in outcome) return { answer: outcome.answer, target };
    failure = outcome.error;
    if (outcome.isOurs) break;
  }
  throw failure ?? circuitOpen(0);
}

async function askTarget(
  target: KnownTarget,
  question: Question,
  options: { dispatcher: Dispatcher; retry: RetrySettings; signal: AbortSignal },
): Promise<{ answer: Exchange } | Judgement> {
  const { retry, signal } = options;
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptOnce(target, question, options);
    if ('answer' in outcome) {
      target.breaker.succeeded();
      return outcome;
    }
    if ('learnt' in outcome) {
      attempt -= 1;
      continue;
    }
    if (outcome.isSick) target.breaker.failed();
    else target.breaker.succeeded();
    const delayMs = delayOf(outcome, attempt, retry);
    if (!outcome.mayRetry || attempt >= retry.retriesMax || delayMs === undefined || !target.breaker.admit())
      return outcome;
    await sleep(delayMs, undefined, { signal }).catch((error: unknown) => {
      target.breaker.released();
      throw error;
    });
  }
}

/** The target is asked again in other words, which is not a retry. */
const LEARNT = { learnt: true } as const;

async function attemptOnce(
  target: KnownTarget,
  question: Question,
  { dispatcher, signal }: { dispatcher: Dispatcher; signal: AbortSignal },
): Promise<{ answer: Exchange } | typeof LEARNT | Judgement> {
  const { origin, basePath, headers, timeoutMs } = target;
  const { path, body } = question.ask(target);
  try {
    const answer = await exchange({
      dispatcher,
      origin,
      path: basePath + path,
      headers,
      body,
      firstByteTimeoutMs: timeoutMs,
      idleTimeoutMs: timeoutMs,
      signal,
    });
    if (answer.status < 300) return { answer };
    const text = await answer.text(REFUSAL_BYTES_MAX);
    if (question.learn(target, answer.status, text)) return LEARNT;
    const retryAfter = answer.headers['retry-after'];
    return judgeStatus(answer.status, typeof retryAfter === 'string' ? retryAfter : undefined, text);
  } catch (error) {
    if (!signal.aborted) return judgeError(error);
    target.breaker.released();
    throw error;
  }
}

/** Full jitter: clients that failed together do not come back together. Undefined when the wait would be too long. */
function delayOf(judgement: Judgement, attempt: number, retry: RetrySettings): number | undefined {
  const wanted = (judgement.retryAfterSeconds ?? 0) * 1000;
  if (wanted > retry.retryAfterMsMax) return undefined;
  return wanted + Math.random() * retry.backoffMs * 2 ** attempt;
}
