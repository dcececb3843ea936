import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, isIPv6, type Socket } from 'node:net';
import { errorBody } from './error-bodies.ts';
import { LISTENER, ownPort, startListening } from './listen.ts';
import { requestErrors } from './request-errors.ts';

/** A connection that sends nothing must not outlive the start. */
const IDLE_MS = 5000;

/** The address of a server that is being prepared. */
export type Door = {
  url: string;
  host: string;
  port: number;
  /** Gives every further connection, which is paused, to the server. */
  open(serve: (connection: Socket) => void): void;
  close(): void;
};

/** Listens before there is anything to serve: says that the process is alive, and that it is not ready. */
export async function openDoor(place: { host: string; port: number }): Promise<Door> {
  const starting = createHttpServer(answer);
  let serve = (connection: Socket) => {
    connection.setTimeout(IDLE_MS, () => connection.destroy());
    starting.emit('connection', connection);
    connection.resume();
  };
  const listener = createServer({ ...LISTENER, pauseOnConnect: true }, (connection) => serve(connection));
  await ownPort(place, (own) => startListening(listener, own));
  const { port } = listener.address() as AddressInfo;
  return {
    url: `http://${isIPv6(place.host) ? `[${place.host}]` : place.host}:${port}`,
    host: place.host,
    port,
    open(next) {
      serve = next;
    },
    close: () => void listener.close(),
  };
}

const answer: RequestListener = (request, response) => {
  // The next request is for the server itself.
  response.setHeader('connection', 'close');
  response.setHeader('content-type', 'application/json; charset=utf-8');
  if (request.url === '/healthz') return void response.end(JSON.stringify({ status: 'ok' }));
  const error = requestErrors.server_starting();
  response.writeHead(error.status, error.headers);
  response.end(JSON.stringify(errorBody(error, { shape: 'object' })));
};
