/** An answer that is not JSON: a page, a metric dump, a file. */
export class RawReply {
  readonly body: string | Uint8Array;
  readonly headers: Record<string, string>;

  constructor(body: string | Uint8Array, headers: Record<string, string>) {
    this.body = body;
    this.headers = headers;
  }
}

export function raw(body: string | Uint8Array, contentType: string, headers: Record<string, string> = {}): RawReply {
  return new RawReply(body, { 'content-type': contentType, ...headers });
}
