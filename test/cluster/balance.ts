import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { atEnd } from '../support/cleanup.ts';

/**
 * One address for several servers: each request goes to the next one. As with any load balancer, a request is passed to
 * another server if the first did not accept it, or if it may be repeated: a read, or one with an Idempotency-Key.
 */
export async function startBalancer(targets: () => readonly string[]): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 512 });
  let turn = 0;

  function pass(incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer, tries: number): void {
    const live = targets();
    const target = live[turn++ % Math.max(1, live.length)];
    if (target === undefined) {
      fail(outgoing);
      return;
    }
    const { method, url, headers } = incoming;
    const sent = request(target + url, { method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      // A partial response must not look complete.
      answer.on('error', () => outgoing.destroy());
      answer.on('aborted', () => outgoing.destroy());
      answer.pipe(outgoing);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (outgoing.headersSent) {
        outgoing.destroy();
        return;
      }
      const mayRepeat = error.code === 'ECONNREFUSED' || method === 'GET' || headers['idempotency-key'] !== undefined;
      if (mayRepeat && tries > 1) pass(incoming, outgoing, body, tries - 1);
      else fail(outgoing);
    });
    outgoing.on('close', () => sent.destroy());
    sent.end(body);
  }

  const balancer = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => pass(incoming, outgoing, Buffer.concat(chunks), 4));
  });
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    balancer.closeAllConnections();
    balancer.close();
    agent.destroy();
  });
  return `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
}

function fail(outgoing: ServerResponse): void {
  outgoing.writeHead(502, { 'content-type': 'application/json' }).end('{"detail":"no server"}');
}

/** One port for several others: each connection goes to the next server that is up, and breaks with it. */
export async function startTcpBalancer(ports: () => readonly number[]): Promise<number> {
  const open = new Set<Socket>();
  let turn = 0;
  const balancer = createTcpServer((incoming) => {
    const live = ports();
    const port = live[turn++ % Math.max(1, live.length)];
    if (port === undefined) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    for (const socket of open) socket.destroy();
    balancer.close();
  });
  return (balancer.address() as AddressInfo).port;
}
