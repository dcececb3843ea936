import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitForTurn } from '../../kit/base/own-turn.ts';
import type { ApiError } from '../../kit/http/index.ts';
import type { EngineUsage, Tally } from '../engine.ts';
import { engineErrors } from '../errors.ts';
import { circuitOpen, classifyError, classifyStatus, type Failure } from './classify-failure.ts';
import type { UpstreamConnections } from './connections.ts';
import { type Exchange, exchange, isUnanswered } from './exchange.ts';
import { toUsage } from './response-parts.ts';
import type { KnownTarget } from './target.ts';

const REFUSAL_BYTES_MAX = 64 * 1024;

export type RetrySettings = { retriesMax: number; backoffMs: number; retryAfterMsMax: number };

/** `headers` where the body is not JSON. */
type BuiltCall = { path: string; body: string | readonly Buffer[] | Readable; headers?: Record<string, string> };

/** One request, in the dialect of the target that it is sent to. */
export type UpstreamCall = {
  /** At once, or by turns where the body is large. */
  build(target: KnownTarget): BuiltCall | Promise<BuiltCall>;
  /** Learns from a refusal what the target does not know; true when it is worth asking again at once. */
  adapt(target: KnownTarget, status: number, text: string): boolean;
};

type Options = { targets: KnownTarget[]; connections: UpstreamConnections; retry: RetrySettings };

/** A target whose answer could not be used, and why: those behind it are tried. */
export type UnusableAnswer = { target: KnownTarget; error: ApiError };

/**
 * Tries the targets in order until one begins to respond; nothing is repeated after that. It is one function because each
 * further async function would cost every request a promise and a turn of the event loop.
 */
export async function openResponse(
  { targets, connections, retry }: Options,
  call: UpstreamCall,
  signal: AbortSignal,
  tally?: Tally,
  promptTokens = 0,
  after?: UnusableAnswer,
): Promise<{ response: Exchange; target: KnownTarget }> {
  let failure: ApiError | undefined = after?.error;
  for (let at = after ? targets.indexOf(after.target) + 1 : 0; at < targets.length; at++) {
    const target = targets[at] as KnownTarget;
    if (!target.breaker.admit()) {
      failure ??= circuitOpen(target.breaker.waitMs());
      continue;
    }
    for (let attempt = 0; ; attempt++) {
      if (tally && (failure !== undefined || attempt > 0)) await admitAgain(tally, target);
      let outcome: typeof ADAPTED | Failure;
      try {
        const turn = waitForTurn();
        if (turn) await turn;
        const response = await send(target, call, connections, signal);
        if (response.status < 300) {
          target.breaker.succeeded();
          if (!isCompressed(response)) return { response, target };
          failure = engineErrors.upstream_invalid_response();
          tally?.add({ promptTokens, completionTokens: 0 });
          response.abort(failure);
          break;
        }
        outcome = await classifyRefusal(response, target, call, tally);
      } catch (error) {
        if (isUnanswered(error)) tally?.add({ promptTokens, completionTokens: 0 });
        outcome = classifyBreak(error, target, signal);
      }
      if (outcome === ADAPTED) {
        attempt -= 1;
        continue;
      }
      if (await isWorthRetrying(outcome, { target, attempt, retry, signal })) continue;
      failure = outcome.error;
      if (outcome.isRequestFault) throw failure;
      break;
    }
  }
  throw failure ?? circuitOpen(0);
}

/** We ask for no compression. What is small on the wire might be without end. */
function isCompressed({ headers }: Exchange): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding !== '' && encoding !== 'identity';
}

async function admitAgain(tally: Tally, { breaker }: KnownTarget): Promise<void> {
  try {
    await tally.admit();
  } catch (error) {
    breaker.released();
    throw error;
  }
}

function send(
  target: KnownTarget,
  call: UpstreamCall,
  connections: UpstreamConnections,
  signal: AbortSignal,
): Promise<Exchange> {
  const built = call.build(target);
  if (built instanceof Promise) return built.then((large) => sendBuilt(target, large, connections, signal));
  return sendBuilt(target, built, connections, signal);
}

function sendBuilt(
  { origin, basePath, headers, timeoutMs }: KnownTarget,
  { path, body, headers: own }: BuiltCall,
  connections: UpstreamConnections,
  signal: AbortSignal,
): Promise<Exchange> {
  return exchange({
    connections,
    origin,
    basePath,
    path,
    headers: own ? { ...headers, ...own } : headers,
    body,
    firstByteTimeoutMs: timeoutMs,
    idleTimeoutMs: timeoutMs,
    signal,
  });
}

/** The call is sent again in another form, which is not a retry. */
const ADAPTED = 'adapted';

async function classifyRefusal(
  response: Exchange,
  target: KnownTarget,
  call: UpstreamCall,
  tally: Tally | undefined,
): Promise<typeof ADAPTED | Failure> {
  const text = await response.beginning(REFUSAL_BYTES_MAX);
  const usage = text.includes('"usage"') ? usageIn(text) : undefined;
  if (usage) tally?.add(usage);
  if (call.adapt(target, response.status, text)) return ADAPTED;
  const retryAfter = response.headers['retry-after'];
  return classifyStatus(response.status, typeof retryAfter === 'string' ? retryAfter : undefined, text);
}

/** A refusal costs nothing, unless the server says what it used. */
function usageIn(text: string): EngineUsage | undefined {
  try {
    const usage = toUsage((JSON.parse(text) as { usage?: unknown } | null)?.usage);
    return usage && { promptTokens: 0, completionTokens: 0, ...usage };
  } catch {
    return undefined;
  }
}

function classifyBreak(error: unknown, target: KnownTarget, signal: AbortSignal): Failure {
  if (!signal.aborted) return classifyError(error);
  target.breaker.released();
  throw error;
}

/** Tells the breaker what was seen, and waits before the next attempt if there is to be one. */
async function isWorthRetrying(
  outcome: Failure,
  options: { target: KnownTarget; attempt: number; retry: RetrySettings; signal: AbortSignal },
): Promise<boolean> {
  const { target, attempt, retry, signal } = options;
  if (outcome.isServerFault) target.breaker.failed();
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
function delayOf(failure: Failure, attempt: number, retry: RetrySettings): number | undefined {
  const wanted = (failure.retryAfterSeconds ?? 0) * 1000;
  if (wanted > retry.retryAfterMsMax) return undefined;
  return wanted + Math.random() * retry.backoffMs * 2 ** attempt;
}
