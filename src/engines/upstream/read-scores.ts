import { z } from 'zod';
import type { Reranking } from '../engine.ts';
import { engineErrors } from '../errors.ts';
import { countOf } from './response-parts.ts';

/** As vLLM, llama.cpp, Jina and Cohere have it. The order of the list does not matter. */
const WireReranking = z.object({
  results: z.array(z.object({ index: z.int().min(0), relevance_score: z.number() })),
  usage: z.unknown().optional(),
});

/** One score for each text, in the order of the texts; an answer that leaves out a text, or has it twice, is not used. */
export function readScores(body: object, query: string, texts: readonly string[]): Reranking {
  const { data } = WireReranking.safeParse(body);
  if (!data || data.results.length !== texts.length) throw engineErrors.upstream_invalid_response();
  const scores = new Map(data.results.map(({ index, relevance_score }) => [index, relevance_score]));
  const ordered = texts.map((_, i) => scores.get(i));
  if (!ordered.every((score) => score !== undefined)) throw engineErrors.upstream_invalid_response();
  return { scores: ordered, promptTokens: countOf(data.usage, [query, ...texts]) };
}
