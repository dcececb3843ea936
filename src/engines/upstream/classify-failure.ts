import { ApiError } from '../../kit/http/index.ts';
import { engineErrors } from '../errors.ts';

const RETRY_AFTER_SECONDS_MAX = 3600;

/**
 * What a failed attempt means. `isRequestFault`: no other server would take this request. `mayRetry`: the same server may
 * answer a moment later. `isServerFault`: counts for the circuit breaker. The server's own text may name keys and addresses,
 * so it only tells cases apart.
 */
export type Failure = {
  error: ApiError;
  isRequestFault: boolean;
  mayRetry: boolean;
  isServerFault: boolean;
  retryAfterSeconds?: number;
};

const OVERFLOW =
  /context[ _-]?(length|window|size)|maximum context|too many tokens|prompt is too long|exceed_context|too large for model/i;

const REQUEST_FAULT = { isRequestFault: true, mayRetry: false, isServerFault: false };
const SERVER_FAULT = { isRequestFault: false, mayRetry: false, isServerFault: true };
const MISCONFIGURED = { isRequestFault: false, mayRetry: false, isServerFault: false };

export function classifyStatus(status: number, retryAfter: string | undefined, text: string): Failure {
  if (status === 429) {
    const known = secondsOf(retryAfter);
    const error = engineErrors.upstream_rate_limited(known);
    return { error, isRequestFault: false, mayRetry: true, isServerFault: false, ...known };
  }
  if (status === 401 || status === 403) {
    const hint = "The model server refused our credentials. Ask the operator to check the model's api_key.";
    return { error: engineErrors.upstream_misconfigured(hint), ...MISCONFIGURED };
  }
  if (status === 404 || status === 405) {
    const hint =
      "The model server does not know this model or address. Ask the operator to check the model's url and upstream_model.";
    return { error: engineErrors.upstream_misconfigured(hint), ...MISCONFIGURED };
  }
  if (status >= 300 && status < 400) {
    const hint = "The model server sends us elsewhere. Ask the operator to check the model's url.";
    return { error: engineErrors.upstream_misconfigured(hint), ...MISCONFIGURED };
  }
  if (status === 413 || (status < 500 && OVERFLOW.test(text)))
    return { error: engineErrors.upstream_context_exceeded(), ...REQUEST_FAULT };
  // Not implemented there: another server may have it.
  if (status === 501) return { error: engineErrors.upstream_rejected_request(), ...MISCONFIGURED };
  if (status < 500 && status !== 408) return { error: engineErrors.upstream_rejected_request(), ...REQUEST_FAULT };
  const error = engineErrors.upstream_unavailable('The model server failed. Try again in a moment.');
  return { error, ...SERVER_FAULT, mayRetry: status === 502 || status === 503 || status === 504 };
}

const TIMEOUTS = new Set(['RESPONSE_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const BROKEN = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const NOT_HTTP = /^RESPONSE_INVALID$|^HPE_|^UND_ERR_HEADERS_OVERFLOW$|^UND_ERR_RES_/;

/** Failures before any response: no connection, one that broke, something that is not HTTP, no first byte in time. */
export function classifyError(cause: unknown): Failure {
  if (cause instanceof ApiError) return { error: cause, ...SERVER_FAULT };
  const code = codeOf(cause);
  // The original error names the server's address, which does not belong in a log.
  const options = { cause: new Error(code === '' ? 'connection failed' : code) };
  if (TIMEOUTS.has(code)) return { error: engineErrors.upstream_timeout(options), ...SERVER_FAULT };
  if (NOT_HTTP.test(code)) return { error: engineErrors.upstream_invalid_response(options), ...SERVER_FAULT };
  const error = BROKEN.has(code)
    ? engineErrors.upstream_interrupted(options)
    : engineErrors.upstream_unavailable('The model server cannot be reached. Try again in a moment.', options);
  return { error, ...SERVER_FAULT, mayRetry: true };
}

/** Failures within a response: the server began to answer, so it can be reached. */
export function classifyBreakOff(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  const code = codeOf(cause);
  const options = { cause: new Error(code === '' ? 'connection failed' : code) };
  return TIMEOUTS.has(code) ? engineErrors.upstream_timeout(options) : engineErrors.upstream_interrupted(options);
}

/** Whatever was thrown while an answer was read. Its own nonsense, such as endless nesting, is not our failure. */
export function classifyAnswer(error: unknown): ApiError {
  return error instanceof ApiError ? error : engineErrors.upstream_invalid_response({ cause: error });
}

function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  // The parser's own errors have no code.
  if (cause.name === 'HTTPParserError') return 'HPE_INVALID';
  return 'code' in cause ? String(cause.code) : '';
}

export function circuitOpen(waitMs: number): ApiError {
  const message = 'The model server has failed several times in a row. Try again in a moment.';
  return engineErrors.upstream_unavailable(message, { retryAfterSeconds: waitMs / 1000 });
}

function secondsOf(retryAfter: string | undefined): { retryAfterSeconds?: number } {
  const seconds = Number(retryAfter ?? Number.NaN);
  if (!Number.isFinite(seconds) || seconds < 0) return {};
  return { retryAfterSeconds: Math.min(RETRY_AFTER_SECONDS_MAX, Math.max(1, Math.ceil(seconds))) };
}
