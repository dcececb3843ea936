import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from '../../test/support/cleanup.ts';

export type Received = { path: string; headers: IncomingHttpHeaders; body: string };
type Answer = (received: Received, response: ServerResponse) => void;

export type Receiver = {
  url: string;
  /** `host:port`, as the outbound guard lists it. */
  place: string;
  received: Received[];
  answerWith(answer: Answer): void;
};

const OK: Answer = (_, response) => void response.writeHead(200).end('ok');

/** A receiver of notifications that remembers what it got. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let answer = OK;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString('utf8') };
    received.push(one);
    answer(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const place = `127.0.0.1:${port}`;
  return {
    ...{ url: `http://${place}`, place, received },
    answerWith(next) {
      answer = next;
    },
  };
}
