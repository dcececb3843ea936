import { ApiError, badRequest, unavailable } from '../../kit/http/index.ts';

const RETRY_AFTER_SECONDS = 5;
const RETRY_AFTER_SECONDS_MAX = 3600;

/**
 * What a failed attempt means. `isOurs`: the request itself is wrong, so no other server would take it. `mayRetry`: the
 * same server may answer a moment later. `isSick`: counts for the circuit breaker. What the server wrote may name its
 * own keys and addresses, so it is read to tell cases apart and then thrown away.
 */
export type Judgement = {
  error: ApiError;
  isOurs: boolean;
  mayRetry: boolean;
  isSick: boolean;
  retryAfterSeconds?: number;
};

const OVERFLOW =
  /context[ _-]?(length|window|size)|maximum context|too many tokens|prompt is too long|exceed_context|too large for model/i;

export function judgeStatus(status: number, retryAfter: string | undefined, text: string): Judgement {
  const sick = { isOurs: false, mayRetry: false, isSick: true };
  const misconfigured = { isOurs: false, mayRetry: false, isSick: false };
  if (status === 429) {
    const seconds = secondsOf(retryAfter);
    const error = new ApiError(429, 'Rate limit exceeded', {
      code: '1300',
      headers: { 'retry-after': String(seconds ?? RETRY_AFTER_SECONDS) },
    });
    const known = seconds === undefined ? {} : { retryAfterSeconds: seconds };
    return { error, isOurs: false, mayRetry: true, isSick: false, ...known };
  }
  if (status === 401 || status === 403) {
    const hint = "The model server refused our credentials. Ask the operator to check the model's api_key.";
    return { error: new ApiError(502, hint), ...misconfigured };
  }
  if (status === 404 || status === 405) {
    const hint =
      "The model server does not know this model or address. Ask the operator to check the model's url and upstream_model.";
    return { error: new ApiError(502, hint), ...misconfigured };
  }
  if (status >= 300 && status < 400) {
    const hint = "The model server sends us elsewhere. Ask the operator to check the model's url.";
    return { error: new ApiError(502, hint), ...misconfigured };
  }
  if (status === 413 || (status < 500 && OVERFLOW.test(text))) return { error: overflow(), ...ours };
  // Not implemented there: another server may have it.
  if (status === 501) return { error: badRequest(REFUSED), ...misconfigured };
  if (status === 408) return { error: failing(), ...sick };
  if (status < 500) return { error: badRequest(REFUSED), ...ours };
  return { error: failing(), ...sick, mayRetry: status === 502 || status === 503 || status === 504 };
}

const ours = { isOurs: true, mayRetry: false, isSick: false };

const REFUSED =
  'The model server does not accept this request. Check that the model supports every field and kind of content that was sent.';

function overflow(): ApiError {
  return badRequest(
    "The request, and the answer it asks for, exceed the model's context length. Send less, or ask for less.",
  );
}

function failing(cause?: unknown): ApiError {
  return unavailable('The model server failed. Try again in a moment.', RETRY_AFTER_SECONDS, { cause });
}

/** Failures before any answer: no connection, a connection that broke, no first byte in time. */
export function judgeError(cause: unknown): Judgement {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    const error = unavailable('The model server took too long to answer. Try again in a moment.', RETRY_AFTER_SECONDS, {
      cause: new Error(code),
    });
    return { error, isOurs: false, mayRetry: false, isSick: true };
  }
  const error = unavailable('The model server cannot be reached. Try again in a moment.', RETRY_AFTER_SECONDS, {
    // The original error names the server's address, which does not belong in a log.
    cause: new Error(code === '' ? 'connection failed' : code),
  });
  return { error, isOurs: false, mayRetry: true, isSick: true };
}

export function circuitOpen(waitMs: number): ApiError {
  return unavailable('The model server has failed several times in a row. Try again in a moment.', waitMs / 1000);
}

export function notUnderstood(): ApiError {
  return new ApiError(502, 'The model server answered in a form we do not know.');
}

function secondsOf(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  const seconds = Number(retryAfter);
  if (!Number.isFinite(seconds) || seconds < 0) return undefined;
  return Math.min(RETRY_AFTER_SECONDS_MAX, Math.max(1, Math.ceil(seconds)));
}
