import { connect, type Socket } from 'node:net';
import { answer } from './answer.ts';
import { type Kind, MIXES, type MixName, roundOf } from './request-mixes.ts';

export type Mix = { mix: MixName; port: number; key: string; connections: number; requests: number };
/** How many responses had each status; 0 counts the requests whose client disconnected. */
export type Statuses = Record<string, number>;

const LEAVE_AFTER_MS = 2;
const PATH = '/v1/chat/completions';
const CHUNKED_END = '\r\n0\r\n\r\n';

answer({ send });

async function send({ mix, port, key, connections, requests }: Mix): Promise<Statuses> {
  const statuses: Statuses = {};
  const round = roundOf(mix);
  const each = Math.ceil(requests / connections);
  const clients = Array.from({ length: connections }, (_, i) => new Client(mix, port, key, `bench-${i}`));
  await Promise.all(
    clients.map(async (client, number) => {
      for (let i = 0; i < each; i++) {
        // Each client starts at another request of the mix, so that all kinds run at once.
        const kind = round[(i + number * 7) % round.length] as Kind;
        const status = await client.ask(kind);
        if (status !== kind.status)
          throw new Error(`Expected ${kind.status}, got ${status} for ${JSON.stringify(kind)}`);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
      client.close();
    }),
  );
  return statuses;
}

/** One client with a connection and a model of its own. */
class Client {
  readonly #port: number;
  readonly #requests: Map<Kind, Buffer>;
  #socket: Socket | undefined;
  #received = '';
  #onStatus: (status: number) => void = () => undefined;
  #onError: (error: Error) => void = () => undefined;

  constructor(mix: MixName, port: number, key: string, model: string) {
    this.#port = port;
    this.#requests = new Map((MIXES[mix] as Kind[]).map((kind) => [kind, encode(kind, key, model)]));
  }

  ask(kind: Kind): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#onStatus = resolve;
      this.#onError = reject;
      this.#socket ??= this.#connect();
      this.#socket.write(this.#requests.get(kind) as Buffer);
      if (kind.status === 0) setTimeout(() => this.#leave(resolve), LEAVE_AFTER_MS);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #leave(done: (status: number) => void): void {
    this.close();
    this.#received = '';
    done(0);
  }

  #connect(): Socket {
    const socket = connect({ host: '127.0.0.1', port: this.#port, noDelay: true });
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#read(text));
    socket.on('error', (error) => this.#onError(error));
    socket.on('end', () => this.#onError(new Error('The server closed a connection.')));
    return socket;
  }

  #read(text: string): void {
    this.#received += text;
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = /content-length: (\d+)/i.exec(this.#received.slice(0, headEnd))?.[1];
    const isWhole =
      length === undefined
        ? this.#received.endsWith(CHUNKED_END)
        : this.#received.length >= headEnd + 4 + Number(length);
    if (!isWhole) return;
    const status = Number(this.#received.slice(9, 12));
    this.#received = '';
    this.#onStatus(status);
  }
}

function encode({ method = 'POST', path = PATH, key: other, body }: Kind, key: string, client: string): Buffer {
  const text = body ? JSON.stringify(body(client)) : '';
  const type = body ? `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n` : '';
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${other ?? key}\r\n${type}\r\n${text}`,
  );
}
