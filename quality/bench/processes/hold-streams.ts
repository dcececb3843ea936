import { connect, type Socket } from 'node:net';
import { answer } from './answer.ts';

// Sockets that send a request and never read: heartbeats stay in the kernel, so the client costs nothing while it holds
// ten thousand streams, and only the server is measured.
const OPENING_AT_ONCE = 100;
const HEAD_MS = 30_000;
let sockets: Socket[] = [];

answer({
  async open({ port, key, count }: { port: number; key: string; count: number }): Promise<number> {
    let next = 0;
    const open = async () => {
      while (next < count) sockets.push(await openStream(port, key, `stream-${next++}`));
    };
    await Promise.all(Array.from({ length: OPENING_AT_ONCE }, open));
    return sockets.length;
  },
  close(): void {
    for (const socket of sockets) socket.destroy();
    sockets = [];
  },
});

function openStream(port: number, key: string, stream: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    const timer = setTimeout(() => socket.destroy(new Error(`no answer for ${stream}`)), HEAD_MS);
    socket.on('error', reject);
    socket.once('data', (head) => {
      clearTimeout(timer);
      if (!head.toString('latin1').startsWith('HTTP/1.1 200 ')) {
        reject(new Error(`Not a 200: ${head.toString('latin1').slice(0, 200)}`));
        return;
      }
      socket.pause();
      resolve(socket);
    });
    socket.write(
      `GET /bench/streams/${stream} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/event-stream\r\nauthorization: Bearer ${key}\r\n\r\n`,
    );
  });
}
