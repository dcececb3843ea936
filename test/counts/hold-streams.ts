import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Opens streams without events, each on its own connection, and holds them until they are closed. */
export async function holdStreams(server: { url: string; key: string }, count: number): Promise<{ close(): void }> {
  const { hostname, port } = new URL(server.url);
  const sockets: Socket[] = [];
  for (let n = 0; n < count; n++) {
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.write(`GET /wait/${n} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${server.key}\r\n\r\n`);
    const [head] = (await once(socket, 'data')) as [Buffer];
    if (!head.toString().startsWith('HTTP/1.1 200')) throw new Error(head.toString());
  }
  return {
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
