import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { codeOf } from '../base/error-code.ts';

/** Each round of the event loop accepts one connection of each listener: behind one listener, a hundred wait a hundred rounds. */
const LISTENERS = 16;

/** The address of a server that is being prepared. */
export type Door = {
  url: string;
  host: string;
  port: number;
  /** Gives every further connection, which is paused, to the server. */
  open(serve: (connection: Socket) => void): void;
  close(): void;
};

/** As Node's HTTP server accepts connections. */
export const LISTENER = { allowHalfOpen: true, noDelay: true };

/** Whether several servers of this process can listen on one port. */
const canShare = process.platform === 'linux';

type Place = { host: string; port: number };
type SharedPlace = Place & { reusePort: boolean };
export type Listening = { url: string; stop(): void };

/**
 * Listens on a port, on Linux with several listeners among which the system spreads new connections. Takes over from a
 * door that is open there: on Linux without a moment in which nothing listens.
 */
export async function listen(app: FastifyInstance, { host, port }: Place, door?: Door): Promise<Listening> {
  const more: Server[] = [];
  if (!canShare) {
    door?.close();
    return { url: await app.listen({ host, port }), stop: () => undefined };
  }
  const place = { host, port, reusePort: true };
  const url = door ? await app.listen(place) : await ownPort({ host, port }, (own) => app.listen(own));
  // Its own listener stays: closing it would reset the connections that wait for it.
  door?.open((socket) => {
    app.server.emit('connection', socket);
    socket.resume();
  });
  const { address, port: chosen } = app.server.address() as AddressInfo;
  while (more.length < LISTENERS - 1) {
    const next = createServer(LISTENER, (socket) => app.server.emit('connection', socket));
    try {
      more.push(await startListening(next, { ...place, host: address, port: chosen }));
    } catch (error) {
      // Node before 22.12 knows no such listeners: one has to do.
      if (codeOf(error) === 'EADDRINUSE') break;
      throw error;
    }
  }
  return {
    url,
    stop() {
      door?.close();
      for (const listener of more) listener.close();
    },
  };
}

/**
 * Listeners that share a port would also share it with another program's: one that does not looks first whether it is free.
 * Of two servers that look at once the second is refused, because the name of an abstract socket is given once.
 */
export async function ownPort<T>({ host, port }: Place, start: (place: SharedPlace) => Promise<T>): Promise<T> {
  const place = { host, port, reusePort: canShare };
  if (!canShare || port === 0) return start(place);
  const name = await startListening(createServer(), { path: `\0tramontane-starts-${host}-${port}` });
  try {
    await stopListening(await startListening(createServer(), { host, port, reusePort: false }));
    return await start(place);
  } finally {
    await stopListening(name);
  }
}

export async function startListening(server: Server, place: SharedPlace | { path: string }): Promise<Server> {
  server.listen(place);
  await once(server, 'listening');
  return server;
}

async function stopListening(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
