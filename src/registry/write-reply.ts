import { mapGroups, type RenderedReply, type RequestContext, rendered, streamedObject } from '../kit/http/index.ts';
import { pickFields } from './pick-fields.ts';
import type { Rendered } from './rendered-cache.ts';
import type { History, ObjectPage, VersionSnapshot } from './schema.ts';

/** The reply with an object, or with the requested fields of it. */
export function replyWithObject<W extends object>(
  { value, text, etag }: Rendered<W>,
  fields?: readonly string[] | undefined,
): RenderedReply {
  return rendered(fields === undefined ? text : JSON.stringify(pickFields(value, fields)), etag);
}

/** The reply with a page of a list, written while it is read. */
export function replyWithPage<W>({ groups, nextPageToken }: ObjectPage<W>) {
  return streamedObject(nextPageToken === undefined ? {} : { nextPageToken }, 'data', groups);
}

/** The reply `{"data": […]}` with all versions, written while they are read. */
export function replyWithHistory<D>(
  { etag, pages }: History<D>,
  render: (version: VersionSnapshot<D>) => unknown,
): RenderedReply {
  return rendered(streamedObject({}, 'data', mapGroups(pages, render)), etag);
}

/** A response body and the headers that go with it. */
export type WithHeaders<T> = { value: T; headers: Record<string, string> };

export function sendWithHeaders<T>({ setHeader }: Pick<RequestContext, 'setHeader'>, reply: WithHeaders<T>): T {
  for (const [name, text] of Object.entries(reply.headers)) setHeader(name, text);
  return reply.value;
}
