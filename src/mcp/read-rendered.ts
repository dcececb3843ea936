import { text as readAll } from 'node:stream/consumers';
import type { RenderedReply } from '../kit/http/index.ts';

/** What a service has made ready for the wire, as a value again. */
export async function readRendered<T>({ text }: RenderedReply): Promise<T> {
  const json = typeof text === 'function' ? await text() : typeof text === 'string' ? text : await readAll(text);
  return JSON.parse(json) as T;
}
