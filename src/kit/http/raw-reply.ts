/** A stream is read only as fast as the client receives it. */
type RawBody = string | Uint8Array | AsyncIterable<Uint8Array>;

/** A response that is not JSON by a schema: a page, metrics, a file, a message of another protocol. */
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

/** A response without a body. */
export function empty(status: number): RawReply {
  return new RawReply('', {}, status);
}
