import { z } from 'zod';
import type { Classification } from '../engine.ts';
import { engineErrors } from '../errors.ts';
import { countOf } from './response-parts.ts';

const WireClassification = z.object({
  results: z.array(z.record(z.string(), z.object({ scores: z.record(z.string(), z.number()) }))),
  usage: z.unknown().optional(),
});

/** The scores in the order of the texts. Without a count of tokens the characters stand for them. */
export function readClassification(body: object, texts: readonly string[]): Classification {
  const { data } = WireClassification.safeParse(body);
  if (!data || data.results.length !== texts.length) throw engineErrors.upstream_invalid_response();
  const results = data.results.map((result) =>
    Object.fromEntries(Object.entries(result).map(([target, { scores }]) => [target, scores])),
  );
  return { results, promptTokens: countOf(data.usage, texts) };
}
