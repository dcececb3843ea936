import type { Embeddings } from '../engine.ts';
import { engineErrors } from '../errors.ts';
import { countOf } from './response-parts.ts';

type WireItem = { index?: unknown; embedding?: unknown } | null;

/**
 * One vector per text, in the order of the texts, whatever order the server wrote them in. Fewer, more, two for the same
 * text, of different lengths or with holes: such an answer is not used at all, because a vector beside the wrong text
 * is worse than none.
 */
export function readEmbeddings(body: Record<string, unknown>, texts: string[]): Embeddings {
  const { data } = body;
  if (!Array.isArray(data) || data.length !== texts.length) throw engineErrors.upstream_invalid_response();
  const vectors: Float32Array[] = [];
  for (const [place, item] of (data as WireItem[]).entries()) {
    const index = item?.index ?? place;
    if (!isPlace(index, texts.length) || vectors[index]) throw engineErrors.upstream_invalid_response();
    vectors[index] = toVector(item?.embedding);
  }
  if (vectors.some(({ length }) => length !== vectors[0]?.length)) throw engineErrors.upstream_invalid_response();
  return { vectors, promptTokens: countOf(body.usage, texts) };
}

function isPlace(index: unknown, count: number): index is number {
  return Number.isInteger(index) && (index as number) >= 0 && (index as number) < count;
}

function toVector(value: unknown): Float32Array {
  if (!Array.isArray(value) || value.length === 0 || !value.every((number) => typeof number === 'number'))
    throw engineErrors.upstream_invalid_response();
  const vector = Float32Array.from(value as number[]);
  // A number may be finite and yet too large for a vector.
  if (!vector.every(Number.isFinite)) throw engineErrors.upstream_invalid_response();
  return vector;
}
