import { WebSocket } from 'ws';
import { atEnd } from './cleanup.ts';

export type TestSocket = {
  /** The next message; undefined once the socket is closed. */
  next(): Promise<Record<string, unknown> | undefined>;
  /** All messages until the socket is closed. */
  rest(): Promise<Record<string, unknown>[]>;
  send(message: unknown): void;
  sendRaw(text: string | Buffer): void;
  close(): void;
  /** The code that it was closed with. */
  closed: Promise<number>;
  /** The status of a refusal before the socket was open. */
  refused: Promise<number>;
};

/** A client of a WebSocket with JSON messages. */
export function connectSocket(
  server: { url: string; key?: string },
  path: string,
  options: { headers?: Record<string, string>; protocols?: string[] } = {},
): TestSocket {
  const key: Record<string, string> = server.key ? { authorization: `Bearer ${server.key}` } : {};
  const headers = { ...key, ...options.headers };
  const websocket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, options.protocols ?? [], { headers });
  atEnd(() => websocket.terminate());
  const messages: Record<string, unknown>[] = [];
  let isClosed = false;
  let wake: (() => void) | undefined;
  websocket.on('message', (data) => {
    messages.push(JSON.parse(data.toString()) as Record<string, unknown>);
    wake?.();
  });
  const closed = new Promise<number>((resolve) =>
    websocket.on('close', (code) => {
      isClosed = true;
      wake?.();
      resolve(code);
    }),
  );
  websocket.on('error', () => undefined);
  const refused = new Promise<number>((resolve) =>
    websocket.on('unexpected-response', (_request, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }),
  );
  const next = async (): Promise<Record<string, unknown> | undefined> => {
    while (messages.length === 0 && !isClosed)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return messages.shift();
  };
  const waiting: (() => void)[] = [];
  websocket.once('open', () => {
    for (const work of waiting.splice(0)) work();
  });
  const whenOpen = (work: () => void) => {
    if (websocket.readyState === websocket.OPEN) work();
    else waiting.push(work);
  };
  return {
    next,
    async rest() {
      const all: Record<string, unknown>[] = [];
      for (let message = await next(); message; message = await next()) all.push(message);
      return all;
    },
    send: (message) => whenOpen(() => websocket.send(JSON.stringify(message))),
    sendRaw: (text) => whenOpen(() => websocket.send(text)),
    close: () => websocket.close(),
    closed,
    refused,
  };
}
