import { engineErrors } from '../errors.ts';
import { classifyError } from './classify-failure.ts';
import type { Exchange } from './exchange.ts';
import type { KnownTarget } from './target.ts';

const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

type Body = Record<string, unknown>;

/**
 * A whole answer, which must be a JSON object; at once when all of it has come already, as it nearly always has. A server
 * that breaks off while it sends one is a sick server.
 */
export function readJson(response: Exchange, target: KnownTarget, signal: AbortSignal): Body | Promise<Body> {
  const text = response.text(ANSWER_BYTES_MAX);
  if (typeof text === 'string') return parseObject(text);
  return text.then(parseObject, (error: unknown) => {
    if (signal.aborted) throw error;
    target.breaker.failed();
    throw classifyError(error).error;
  });
}

function parseObject(text: string): Body {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) return body as Body;
  } catch {
    // Not JSON; the text itself is never shown.
  }
  throw engineErrors.upstream_invalid_response();
}
