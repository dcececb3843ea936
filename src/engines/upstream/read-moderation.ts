import { z } from 'zod';
import type { Judgement, Moderation } from '../engine.ts';
import { engineErrors } from '../errors.ts';
import { countOf } from './response-parts.ts';

// OpenAI sends null for a category that it did not judge.
const WireModeration = z.object({
  results: z.array(
    z.object({
      categories: z.record(z.string(), z.boolean().nullable()),
      category_scores: z.record(z.string(), z.number().nullable()),
    }),
  ),
  usage: z.unknown().optional(),
});

/** The judgements in the order of the texts. Without a count of tokens the characters stand for them. */
export function readModeration(body: object, texts: readonly string[]): Moderation {
  const { data } = WireModeration.safeParse(body);
  if (!data || data.results.length !== texts.length) throw engineErrors.upstream_invalid_response();
  return {
    judgements: data.results.map(
      (result): Judgement => ({ scores: known(result.category_scores), flags: known(result.categories) }),
    ),
    promptTokens: countOf(data.usage, texts),
  };
}

function known<T>(values: Record<string, T | null>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, T] => entry[1] !== null));
}
