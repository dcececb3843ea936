import type { Readable } from 'node:stream';

/** An answer that is JSON text already, whole or as it is read, with its entity tag. Who has that state gets a 304. */
export class RenderedReply {
  readonly text: string | Readable;
  readonly etag: string;

  constructor(text: string | Readable, etag: string) {
    this.text = text;
    this.etag = etag;
  }
}

export function rendered(text: string | Readable, etag: string): RenderedReply {
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
