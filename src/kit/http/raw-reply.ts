/** A stream is read only as quickly as the client takes it. */
type RawBody = string | Uint8Array | AsyncIterable<Uint8Array>;

/** An answer that is not JSON by a schema: a page, a metric dump, a file, what a protocol of its own says. */
export class RawReply {
  readonly body: RawBody;
  readonly headers: Record<string, string>;
  readonly status: number;

  constructor(body: RawBody, headers: Record<string, string>, status: number) {
    this.body = body;
    this.headers = headers;
    this.status = status;
  }
}

export function raw(body: RawBody, contentType: string, headers: Record<string, string> = {}, status = 200): RawReply {
  return new RawReply(body, { 'content-type': contentType, ...headers }, status);
}

/** A status that says everything. */
export function empty(status: number): RawReply {
  return new RawReply('', {}, status);
}
