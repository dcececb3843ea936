import type { Embeddings } from '../engine.ts';
import { estimateTokens, toUsage } from './answer-parts.ts';
import { notUnderstood } from './judge-failure.ts';

type WireItem = { index?: unknown; embedding?: unknown } | null;

/** The vectors of an OpenAI-shaped answer, in the order of the texts that were sent. */
export function readEmbeddings(body: { data?: unknown; usage?: unknown }, texts: readonly string[]): Embeddings {
  const items = Array.isArray(body.data) ? (body.data as WireItem[]) : [];
  const vectors: Float32Array[] = [];
  for (const [position, item] of items.entries()) {
    const index = typeof item?.index === 'number' ? item.index : position;
    const vector = toVector(item?.embedding);
    if (!vector || index < 0 || index >= texts.length || vectors[index]) throw notUnderstood();
    vectors[index] = vector;
  }
  const dimensions = vectors[0]?.length;
  for (let index = 0; index < texts.length; index++)
    if (!vectors[index] || vectors[index]?.length !== dimensions) throw notUnderstood();
  return { vectors, tokens: shareTokens(toUsage(body.usage)?.promptTokens ?? 0, texts) };
}

/** Numbers, or what a server that prefers it sends: base64 of little-endian floats. */
function toVector(value: unknown): Float32Array | undefined {
  if (typeof value === 'string') return fromBase64(value);
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const vector = Float32Array.from(value as number[]);
  return vector.every(Number.isFinite) ? vector : undefined;
}

function fromBase64(text: string): Float32Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
  const vector = Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
  return vector.every(Number.isFinite) ? vector : undefined;
}

/** A server counts all texts together; each gets its part by its length, and the sum stays the server's figure. */
function shareTokens(total: number, texts: readonly string[]): number[] {
  if (total === 0) return texts.map((text) => estimateTokens(text.length));
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  let left = total;
  let after = characters;
  return texts.map((text) => {
    const share = after === 0 ? left : Math.round((left * text.length) / after);
    left -= share;
    after -= text.length;
    return share;
  });
}
