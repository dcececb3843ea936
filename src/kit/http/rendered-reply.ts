import type { Readable } from 'node:stream';

/** JSON text: whole, as it is read, or made only when it is needed. */
type Text = string | Readable | (() => Promise<string>);

/** An answer that is JSON text already, with its entity tag. Who has that state gets a 304, and no text is made. */
export class RenderedReply {
  readonly text: Text;
  readonly etag: string;

  constructor(text: Text, etag: string) {
    this.text = text;
    this.etag = etag;
  }
}

export function rendered(text: Text, etag: string): RenderedReply {
  return new RenderedReply(text, etag);
}

/** Whether an `If-None-Match` names this tag; weak and strong count alike there. */
export function matchesTag(header: string, etag: string): boolean {
  return header.trim() === '*' || tagsOf(header).some((tag) => tag.replace(/^W\//, '') === etag);
}

/** The tags of a header, each with its quotes. A tag of ours holds no comma. */
export function tagsOf(header: string): string[] {
  return header.split(',').map((tag) => tag.trim());
}
