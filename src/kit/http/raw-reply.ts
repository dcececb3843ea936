/** A stream is read only as quickly as the client takes it. */
type RawBody = string | Uint8Array | AsyncIterable<Uint8Array>;

/** An answer that is not JSON: a page, a metric dump, a file. */
export class RawReply {
  readonly body: RawBody;
  readonly headers: Record<string, string>;

  constructor(body: RawBody, headers: Record<string, string>) {
    this.body = body;
    this.headers = headers;
  }
}

export function raw(body: RawBody, contentType: string, headers: Record<string, string> = {}): RawReply {
  return new RawReply(body, { 'content-type': contentType, ...headers });
}
