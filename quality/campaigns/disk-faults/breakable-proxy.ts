import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy to another server that can be cut off and restored. */
export async function openProxy(target: { host: string; port: number }) {
  const open = new Set<Socket>();
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
  };
  const server = createServer((socket) => {
    const other = connect(target);
    keep(socket);
    keep(other);
    socket.pipe(other).pipe(socket);
    socket.on('close', () => other.destroy());
    other.on('close', () => socket.destroy());
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    /** As when the server behind it is stopped: every connection ends, and new ones are refused. */
    async takeAway() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
    giveBack: () => listen(port),
  };
}
