import { Readable } from 'node:stream';
import { type RenderedReply, type RequestContext, rendered } from '../kit/http/index.ts';
import { pickFields } from './pick-fields.ts';
import type { Rendered } from './rendered-cache.ts';
import type { History, VersionSnapshot } from './schema.ts';

/** The reply with an object, or with the requested fields of it. */
export function replyWithObject<W extends object>(
  { value, text, etag }: Rendered<W>,
  fields?: readonly string[] | undefined,
): RenderedReply {
  return rendered(fields === undefined ? text : JSON.stringify(pickFields(value, fields)), etag);
}

/** The reply `{"data": […]}` with all versions, written while they are read. */
export function replyWithHistory<D>(
  { etag, pages }: History<D>,
  render: (version: VersionSnapshot<D>) => unknown,
): RenderedReply {
  async function* write() {
    let before = '{"data":[';
    for await (const page of pages) {
      yield `${before}${page.map((version) => JSON.stringify(render(version))).join(',')}`;
      before = ',';
    }
    yield before === ',' ? ']}' : `${before}]}`;
  }
  return rendered(Readable.from(write()), etag);
}

/** A response body and the headers that go with it. */
export type WithHeaders<T> = { value: T; headers: Record<string, string> };

export function sendWithHeaders<T>({ setHeader }: Pick<RequestContext, 'setHeader'>, reply: WithHeaders<T>): T {
  for (const [name, text] of Object.entries(reply.headers)) setHeader(name, text);
  return reply.value;
}
