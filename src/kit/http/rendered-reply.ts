import type { StreamedJson } from './streamed-json.ts';

/** JSON text: complete, written while it is read, or rendered on demand. */
type Text = string | StreamedJson<unknown> | (() => Promise<string>);

/** A response that is JSON text already. If it has an entity tag, a matching `If-None-Match` gets a 304 without rendering. */
export class RenderedReply {
  readonly text: Text;
  readonly etag: string | undefined;

  constructor(text: Text, etag?: string) {
    this.text = text;
    this.etag = etag;
  }
}

export function rendered(text: Text, etag: string): RenderedReply {
  return new RenderedReply(text, etag);
}

const renderedOnce = new WeakMap<object, RenderedReply>();

/** For an object that never changes and is often asked for: its JSON is made once. */
export function renderOnce(object: object): RenderedReply {
  const known = renderedOnce.get(object);
  if (known) return known;
  const reply = new RenderedReply(JSON.stringify(object));
  renderedOnce.set(object, reply);
  return reply;
}

/** Whether an `If-None-Match` names this tag; weak and strong compare equal there. */
export function matchesTag(header: string, etag: string): boolean {
  return header.trim() === '*' || tagsOf(header).some((tag) => tag.replace(/^W\//, '') === etag);
}

/** The tags of a header, each with its quotes. A tag of ours holds no comma. */
export function tagsOf(header: string): string[] {
  return header.split(',').map((tag) => tag.trim());
}
