import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { S3Bucket } from './client.ts';

type Asked = { method: string; path: string };
/** What happens to a request on its way to the store. */
type Fate = 'pass' | 'refuse' | 'cut-before' | 'cut-answer' | 'lose-answer' | ((asked: Asked) => Promise<void>);
export type StoreProxy = { bucket: S3Bucket; asked: Asked[]; fateOf: (asked: Asked) => Fate; stop(): void };

/** A network between us and the store that fails as the test says. */
export async function openStoreProxy(bucket: S3Bucket): Promise<StoreProxy> {
  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy: StoreProxy = {
    bucket: { ...bucket, endpoint },
    asked: [],
    fateOf: () => 'pass',
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return proxy;

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const asked = { method: incoming.method ?? '', path: incoming.url ?? '' };
    proxy.asked.push(asked);
    const fate = proxy.fateOf(asked);
    if (fate === 'cut-before') return void incoming.socket.destroy();
    if (fate === 'refuse') {
      incoming.resume();
      return void outgoing.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
    }
    if (typeof fate === 'function') await fate(asked);
    // The signature is for the host as we named it, so it is passed on as it is.
    const forwarded = request(bucket.endpoint + asked.path, { method: asked.method, headers: incoming.headers });
    incoming.pipe(forwarded);
    const answer = await new Promise<IncomingMessage>((resolve, reject) =>
      forwarded.on('response', resolve).on('error', reject),
    );
    if (fate === 'lose-answer') {
      answer.resume();
      return void incoming.socket.destroy();
    }
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    if (fate !== 'cut-answer') return void answer.pipe(outgoing);
    const whole = Buffer.concat(await answer.toArray());
    // Half of what was promised.
    outgoing.write(whole.subarray(0, whole.length / 2), () => incoming.socket.destroy());
  }
}
