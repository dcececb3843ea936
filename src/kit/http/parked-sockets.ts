import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

const STREAM = Symbol('stream');

/** Whose connection it is, until `rest`. */
type Owner = { disconnected(): void };
type ParkedSocket = Socket & { [STREAM]?: Owner | undefined };

/**
 * Connections of streams that have nothing to write. Node keeps a parser, two messages, their headers and a dozen functions for
 * each response, 10 KiB; a connection alone has 2. So a stream takes its connection away from Node's HTTP server, and the
 * server gets it back with the next request on it, as if it were new.
 */
export type ParkedSockets = {
  /**
   * Takes the connection of a response; the owner then writes what is missing of it. 'later': it is still in use. `bytesRead`: when
   * the response began. What came after that is the next request, of which Node's parser may have read the first half.
   */
  take(response: ServerResponse, owner: Owner, bytesRead: number): Socket | 'later' | 'never';
  /** The response is complete. The connection waits for its next request. */
  rest(socket: Socket): void;
  /** Called for a request that came before the response to the previous one was complete: Node has to order the two. */
  keepOrder(socket: Socket): void;
  readonly size: number;
  destroyAll(): void;
};

export type ParkedSocketsOptions = {
  keepAliveMs: number;
  /** Lets the HTTP server read requests from a connection. */
  serve(socket: Socket): void;
};

export function createParkedSockets({ keepAliveMs, serve }: ParkedSocketsOptions): ParkedSockets {
  const parked = new Set<ParkedSocket>();
  const ordered = new WeakSet<Socket>();

  function onClose(this: ParkedSocket): void {
    parked.delete(this);
    this[STREAM]?.disconnected();
    this[STREAM] = undefined;
  }

  /** The next request. One that comes too early stays in the buffer of the connection, and no more is read. */
  function onData(this: ParkedSocket, bytes: Buffer): void {
    this.pause();
    this.unshift(bytes);
    if (!this[STREAM]) giveBack(this);
  }

  /** Node's server ends a connection whose client has said that it is done, and so do we. */
  function onEnd(this: ParkedSocket): void {
    this.end();
  }

  function onTimeout(this: ParkedSocket): void {
    this.destroy();
  }

  function giveBack(socket: ParkedSocket): void {
    parked.delete(socket);
    socket.removeAllListeners();
    socket.setTimeout(0);
    serve(socket);
  }

  return {
    take(response, owner, bytesRead) {
      const { req, chunkedEncoding, writableLength } = response;
      const socket: ParkedSocket | null = response.socket;
      // A fake connection of a test, or a response that the end of the connection ends.
      if (!(socket instanceof Socket) || !chunkedEncoding) return 'never';
      if (socket.bytesRead !== bytesRead || ordered.has(socket)) return 'never';
      if (writableLength > 0 || !req.readableEnded) return 'later';
      response.detachSocket(socket);
      // To Node's server the connection is closed: it lets go of the parser and of all that belongs to the request.
      socket.emit('close', false);
      socket.removeAllListeners();
      socket[STREAM] = owner;
      parked.add(socket);
      return socket.on('close', onClose).on('data', onData).on('end', onEnd).on('error', ignore);
    },
    rest(socket: ParkedSocket) {
      socket[STREAM] = undefined;
      if (socket.readableLength > 0) return void giveBack(socket);
      socket.setTimeout(keepAliveMs, onTimeout);
    },
    keepOrder: (socket) => void ordered.add(socket),
    get size() {
      return parked.size;
    },
    destroyAll() {
      for (const socket of parked) socket.destroy();
    },
  };
}

/** Node destroys a connection that failed, and `close` follows. */
function ignore(): void {}
