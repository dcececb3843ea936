import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from '../../test/support/cleanup.ts';
import type { TestServer } from '../../test/support/server.ts';

/** The address of a relay that adds the key: the conformance suite cannot send one. */
export async function addKey({ url, key }: TestServer): Promise<string> {
  const relay = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const upstream = request(`${url}${incoming.url}`, { method: incoming.method ?? 'GET', headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    outgoing.once('close', () => upstream.destroy());
    upstream.once('error', () => outgoing.destroy());
    incoming.pipe(upstream);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    relay.closeAllConnections();
    relay.close();
  });
  return `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
}
