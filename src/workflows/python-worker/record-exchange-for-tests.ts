import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** One request and its answer. The two numbers are places in one order of all beginnings and ends. */
export type Exchanged = {
  from: 'worker' | 'client';
  began: number;
  ended: number;
  method: string;
  path: string;
  body?: unknown;
  status: number;
  answer?: unknown;
};

/** A door before a server that writes down who asks what, and what is said to it. */
export async function recordExchange(url: string) {
  const exchanged: Exchanged[] = [];
  let place = 0;
  const server = createServer(async (incoming, outgoing) => {
    const began = place++;
    const sent = await buffer(incoming);
    const { method = 'GET', url: path = '/' } = incoming;
    const onward = request(`${url}${path}`, { method, headers: incoming.headers }, async (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      const chunks: Buffer[] = [];
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        outgoing.write(chunk);
      }
      outgoing.end();
      const text = Buffer.concat(chunks).toString();
      exchanged.push({
        from: whoOf(incoming.headers),
        began,
        ended: place++,
        method,
        path,
        ...(sent.length > 0 ? { body: JSON.parse(sent.toString()) } : {}),
        status: answer.statusCode ?? 500,
        ...(text === '' ? {} : { answer: /json/.test(answer.headers['content-type'] ?? '') ? JSON.parse(text) : text }),
      });
    });
    onward.on('error', () => outgoing.destroy());
    onward.end(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanged: () => exchanged.toSorted((a, b) => a.began - b.began),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function whoOf(headers: IncomingHttpHeaders): Exchanged['from'] {
  return /workflows-worker/.test(headers['user-agent'] ?? '') ? 'worker' : 'client';
}
