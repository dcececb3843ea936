import { engineErrors } from '../errors.ts';
import { classifyBreakOff } from './classify-failure.ts';
import type { Exchange } from './exchange.ts';
import type { AnswerLimits } from './limits.ts';
import { parseObject } from './parse-json.ts';
import type { KnownTarget } from './target.ts';

type Body = Record<string, unknown>;

/**
 * A whole answer, which must be a JSON object within its limits; at once when all of it has come already, as it nearly
 * always has. A server that breaks off while it sends one is a sick server.
 */
export function readJson(
  response: Exchange,
  target: KnownTarget,
  limits: AnswerLimits,
  signal: AbortSignal,
): Body | Promise<Body> {
  const text = response.text(limits.bytesMax);
  if (typeof text === 'string') return toBody(text, limits);
  return text.then(
    (whole) => toBody(whole, limits),
    (error: unknown) => {
      if (signal.aborted) throw error;
      const failure = classifyBreakOff(error);
      if (failure !== error) target.breaker.failed();
      throw failure;
    },
  );
}

function toBody(text: string, { json }: AnswerLimits): Body {
  const body = parseObject(text, json);
  if (!body) throw engineErrors.upstream_invalid_response();
  return body;
}
