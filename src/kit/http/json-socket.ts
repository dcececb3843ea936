import type { RawData, WebSocket } from 'ws';
import { parseJson } from './json-body.ts';
import { requestErrors } from './request-errors.ts';
import type { JsonSocket } from './socket-reply.ts';

/** Messages that wait for `serve`; the network waits beyond that. */
const AHEAD_MAX = 4;
const AHEAD_BYTES_MAX = 1024 * 1024;
/** A client that is so far behind is waited for. */
const BUFFERED_BYTES_MAX = 256 * 1024;
/** A socket on which nothing is said in either direction is closed. */
const IDLE_MS = 5 * 60_000;

export type OpenSocket = JsonSocket & {
  /** No more messages, as if the client had sent its last one. */
  stopReading(): void;
};

/** The messages of a WebSocket under back pressure in both directions. */
export function openJsonSocket(websocket: WebSocket): OpenSocket {
  const ahead: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  let wake: (() => void) | undefined;
  let isIdle = false;
  const idle = setTimeout(() => {
    isIdle = true;
    wake?.();
  }, IDLE_MS).unref();

  websocket.on('message', (data: RawData) => {
    const message = data as Buffer;
    idle.refresh();
    ahead.push(message);
    bytes += message.length;
    if (ahead.length >= AHEAD_MAX || bytes >= AHEAD_BYTES_MAX) websocket.pause();
    wake?.();
  });
  const end = () => {
    isOver = true;
    wake?.();
  };
  websocket.on('close', () => {
    clearTimeout(idle);
    end();
  });

  async function* read(): AsyncGenerator<unknown> {
    for (;;) {
      const message = ahead.shift();
      if (message) {
        bytes -= message.length;
        if (websocket.isPaused) websocket.resume();
        yield parseJson(message);
      } else if (isOver) return;
      else if (isIdle) throw requestErrors.socket_idle();
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }

  return {
    messages: read(),
    async send(message) {
      if (websocket.readyState !== websocket.OPEN) throw requestErrors.socket_closed();
      idle.refresh();
      const text = JSON.stringify(message);
      if (websocket.bufferedAmount + text.length <= BUFFERED_BYTES_MAX) return websocket.send(text);
      await new Promise<void>((resolve, reject) =>
        websocket.send(text, (error) => (error ? reject(requestErrors.socket_closed()) : resolve())),
      );
    },
    stopReading: end,
  };
}
