import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, isIPv6, type Socket } from 'node:net';
import { errorBody } from './error-bodies.ts';
import { type Door, LISTENER, ownPort, startListening } from './listen.ts';
import { requestErrors } from './request-errors.ts';

/** A connection is for one request. */
const CONNECTION_MS = 10_000;

/** Listens before there is anything to serve: says that the process is alive, and that it is not ready. */
export async function openDoor(place: { host: string; port: number }): Promise<Door> {
  const starting = createHttpServer(answer);
  let serve = (connection: Socket) => {
    setTimeout(() => connection.destroy(), CONNECTION_MS).unref();
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
  if (request.url?.split('?', 1)[0] === '/healthz') return void response.end(JSON.stringify({ status: 'ok' }));
  const error = requestErrors.server_starting();
  response.writeHead(error.status, error.headers);
  response.end(JSON.stringify(errorBody(error, { shape: 'object' })));
};
