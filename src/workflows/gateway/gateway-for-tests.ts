import {
  type ClientHttp2Session,
  connect,
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type Answer = { headers: IncomingHttpHeaders; body: Buffer; trailers: IncomingHttpHeaders };
export type Taken = { headers: IncomingHttpHeaders; body: Buffer; stream: ServerHttp2Stream };

/** A cluster that does with each call what the test says. */
export async function startFakeCluster(tls?: { cert: string; key: string }) {
  let answer: (taken: Taken) => void = () => undefined;
  const sessions = new Set<ServerHttp2Session>();
  const server = tls ? createSecureServer(tls) : createServer();
  server.on('session', (session) => sessions.add(session));
  server.on('stream', async (stream, headers) => {
    stream.on('error', () => undefined);
    answer({ headers, body: await buffer(stream), stream });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The next call, which the test answers itself. */
    next: () =>
      new Promise<Taken>((resolve) => {
        answer = resolve;
      }),
    drop() {
      for (const session of sessions) session.destroy();
      sessions.clear();
    },
    close() {
      for (const session of sessions) session.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

export function dial(port: number, ca?: string): ClientHttp2Session {
  const session = ca ? connect(`https://localhost:${port}`, { ca }) : connect(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  return session;
}

/** A unary call, whole; `abort` cancels it as a client would. */
export function callUnary(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body: Buffer) {
  const stream = session.request({ ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers', ...headers });
  const answer = new Promise<Answer>((resolve, reject) => {
    const got: Answer = { headers: {}, body: Buffer.alloc(0), trailers: {} };
    const chunks: Buffer[] = [];
    stream.on('response', (received) => {
      got.headers = received;
    });
    stream.on('trailers', (received) => {
      got.trailers = received;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => resolve({ ...got, body: Buffer.concat(chunks) }));
    stream.on('error', reject);
    stream.end(body);
  });
  answer.catch(() => undefined);
  return { answer, abort: () => stream.close(8) };
}

/** The status of an answer, wherever it stands. */
export function statusOf({ headers, trailers }: Answer): number {
  return Number(trailers['grpc-status'] ?? headers['grpc-status']);
}
