import { ApiError, type ErrorStyle, type RenderedError, type ValidationFailed } from '../../kit/http/index.ts';
import { dialectErrors } from '../errors.ts';
import { AnthropicError } from '../schema/anthropic.ts';

const TYPES: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

/** By this the SDKs know that they can go on without a thread. */
const NO_THREADS = { error_code: 'thread_unsupported_request', unsupported: ['thread'] };

export function describeAnthropicError(error: ApiError) {
  const isUnknownModel = error.code === 'unknown_model';
  const status = isUnknownModel ? 404 : error.status;
  const message =
    error.code === 'unauthorized' ? 'invalid x-api-key: send a key of this server as x-api-key.' : error.message;
  const type = TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  const details = error.code === dialectErrors.thread_unsupported.code ? NO_THREADS : undefined;
  return { status, error: details ? { type, message, details } : { type, message } };
}

/** An error in Anthropic's words. */
export function renderAnthropicError(error: ApiError | ValidationFailed): RenderedError {
  if (!(error instanceof ApiError)) {
    const [first] = error.items;
    const place = (first?.loc ?? []).slice(1).join('.');
    const message = `${place === '' ? 'body' : place}: ${first?.msg ?? 'not valid'}`;
    return { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } };
  }
  const { status, error: shown } = describeAnthropicError(error);
  return { status, body: { type: 'error', error: shown } };
}

export const anthropicErrorStyle: ErrorStyle = {
  shape: 'own',
  own: { render: renderAnthropicError, schema: AnthropicError },
};
