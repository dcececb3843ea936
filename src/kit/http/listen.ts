import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { codeOf } from '../base/error-code.ts';

/** Each round of the event loop accepts one connection of each listener: behind one listener, a hundred wait a hundred rounds. */
const LISTENERS = 16;

type Place = { host: string; port: number };
export type Listening = { url: string; stop(): void };

/** Listens on a port, on Linux with several listeners among which the system spreads new connections. */
export async function listen(app: FastifyInstance, { host, port }: Place): Promise<Listening> {
  const more: Server[] = [];
  if (process.platform !== 'linux') return { url: await app.listen({ host, port }), stop: () => undefined };
  const place = { host, port, reusePort: true };
  const url = port === 0 ? await app.listen(place) : await alone({ host, port }, () => app.listen(place));
  const { address, port: chosen } = app.server.address() as AddressInfo;
  while (more.length < LISTENERS - 1) {
    const next = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      app.server.emit('connection', socket),
    );
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
      for (const listener of more) listener.close();
    },
  };
}

/**
 * Listeners that share a port would also share it with another program's: one that does not looks first whether it is free.
 * Of two servers that look at once the second is refused, because the name of an abstract socket is given once.
 */
async function alone<T>({ host, port }: Place, start: () => Promise<T>): Promise<T> {
  const name = await startListening(createServer(), { path: `\0tramontane-starts-${host}-${port}` });
  try {
    await stopListening(await startListening(createServer(), { host, port }));
    return await start();
  } finally {
    await stopListening(name);
  }
}

async function startListening(server: Server, place: Place | { path: string }): Promise<Server> {
  server.listen(place);
  await once(server, 'listening');
  return server;
}

async function stopListening(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
