import type { Exchange } from './exchange.ts';
import { judgeError, notUnderstood } from './judge-failure.ts';
import type { KnownTarget } from './target.ts';

const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** A whole answer, which must be a JSON object. A server that breaks off while it sends one is a sick server. */
export async function readJson(
  answer: Exchange,
  target: KnownTarget,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const text = await answer.text(ANSWER_BYTES_MAX).catch((error: unknown) => {
    if (signal.aborted) throw error;
    target.breaker.failed();
    throw judgeError(error).error;
  });
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>;
  } catch {
    // Not JSON; the text itself is not for anybody's eyes.
  }
  throw notUnderstood();
}
