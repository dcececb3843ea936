import { text as readAll } from 'node:stream/consumers';
import type { RenderedReply } from '../kit/http/index.ts';

/** The value of a reply that a service has already rendered as JSON. */
export async function parseRendered<T>({ text }: RenderedReply): Promise<T> {
  const json = typeof text === 'function' ? await text() : typeof text === 'string' ? text : await readAll(text);
  return JSON.parse(json) as T;
}
