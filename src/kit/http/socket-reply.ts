/** JSON messages both ways. */
export type JsonSocket = {
  /** Read one by one, a few are fetched ahead. They end when the client closes, and when the server stops. */
  messages: AsyncIterable<unknown>;
  /** Resolves once a slow client has received most of what was sent before; rejects when it is gone. */
  send(message: object): Promise<void>;
};

/** What a handler returns for a WebSocket; the server accepts it, and closes it when `serve` has returned. */
export class SocketReply {
  readonly serve: (socket: JsonSocket) => Promise<void>;

  constructor(serve: (socket: JsonSocket) => Promise<void>) {
    this.serve = serve;
  }
}

export function socket(serve: (socket: JsonSocket) => Promise<void>): SocketReply {
  return new SocketReply(serve);
}
