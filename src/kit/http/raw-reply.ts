/** An answer that is not JSON by a schema: a page, a metric dump, a file, what a protocol of its own says. */
export class RawReply {
  readonly body: string | Uint8Array;
  readonly headers: Record<string, string>;
  readonly status: number;

  constructor(body: string | Uint8Array, headers: Record<string, string>, status: number) {
    this.body = body;
    this.headers = headers;
    this.status = status;
  }
}

export function raw(
  body: string | Uint8Array,
  contentType: string,
  headers: Record<string, string> = {},
  status = 200,
): RawReply {
  return new RawReply(body, { 'content-type': contentType, ...headers }, status);
}

/** A status that says everything. */
export function empty(status: number): RawReply {
  return new RawReply('', {}, status);
}
