import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiError } from '../../kit/http/index.ts';
import type { UpstreamConnections } from './connections.ts';
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

type Options = { targets: KnownTarget[]; connections: UpstreamConnections; retry: RetrySettings };

/**
 * Asks the targets in their order until one begins to answer. Nothing is repeated once it has begun. One function for
 * all that may have to be waited for on the way: each further one would cost every request a promise and a turn.
 */
export async function openAnswer(
  { targets, connections, retry }: Options,
  question: Question,
  signal: AbortSignal,
): Promise<{ answer: Exchange; target: KnownTarget }> {
  let failure: ApiError | undefined;
  for (const target of targets) {
    if (!target.breaker.admit()) {
      failure ??= circuitOpen(target.breaker.waitMs());
      continue;
    }
    for (let attempt = 0; ; attempt++) {
      let outcome: typeof LEARNT | Judgement;
      try {
        const answer = await send(target, question, connections, signal);
        if (answer.status < 300) {
          target.breaker.succeeded();
          return { answer, target };
        }
        outcome = await judgeRefusal(answer, target, question);
      } catch (error) {
        outcome = judgeBreak(error, target, signal);
      }
      if (outcome === LEARNT) {
        attempt -= 1;
        continue;
      }
      if (await isWorthRetrying(outcome, { target, attempt, retry, signal })) continue;
      failure = outcome.error;
      if (outcome.isOurs) throw failure;
      break;
    }
  }
  throw failure ?? circuitOpen(0);
}

function send(
  target: KnownTarget,
  question: Question,
  connections: UpstreamConnections,
  signal: AbortSignal,
): Promise<Exchange> {
  const { origin, basePath, headers, timeoutMs } = target;
  const { path, body } = question.ask(target);
  return exchange({
    connections,
    origin,
    path: basePath + path,
    headers,
    body,
    firstByteTimeoutMs: timeoutMs,
    idleTimeoutMs: timeoutMs,
    signal,
  });
}

/** The target is asked again in other words, which is not a retry. */
const LEARNT = 'learnt';

async function judgeRefusal(
  answer: Exchange,
  target: KnownTarget,
  question: Question,
): Promise<typeof LEARNT | Judgement> {
  const text = await answer.text(REFUSAL_BYTES_MAX);
  if (question.learn(target, answer.status, text)) return LEARNT;
  const retryAfter = answer.headers['retry-after'];
  return judgeStatus(answer.status, typeof retryAfter === 'string' ? retryAfter : undefined, text);
}

function judgeBreak(error: unknown, target: KnownTarget, signal: AbortSignal): Judgement {
  if (!signal.aborted) return judgeError(error);
  target.breaker.released();
  throw error;
}

/** Tells the breaker what was seen, and waits before the next attempt if there is to be one. */
async function isWorthRetrying(
  outcome: Judgement,
  options: { target: KnownTarget; attempt: number; retry: RetrySettings; signal: AbortSignal },
): Promise<boolean> {
  const { target, attempt, retry, signal } = options;
  if (outcome.isSick) target.breaker.failed();
  else target.breaker.succeeded();
  const delayMs = delayOf(outcome, attempt, retry);
  if (!outcome.mayRetry || attempt >= retry.retriesMax || delayMs === undefined || !target.breaker.admit())
    return false;
  await sleep(delayMs, undefined, { signal }).catch((error: unknown) => {
    target.breaker.released();
    throw error;
  });
  return true;
}

/** Full jitter: clients that failed together do not come back together. Undefined when the wait would be too long. */
function delayOf(judgement: Judgement, attempt: number, retry: RetrySettings): number | undefined {
  const wanted = (judgement.retryAfterSeconds ?? 0) * 1000;
  if (wanted > retry.retryAfterMsMax) return undefined;
  return wanted + Math.random() * retry.backoffMs * 2 ** attempt;
}
