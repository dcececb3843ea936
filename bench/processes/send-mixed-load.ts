import { connect, type Socket } from 'node:net';
import { answer } from './answer.ts';

export type Mix = { port: number; key: string; connections: number; requests: number };
/** How many answers had each status; 0 counts the requests whose client left. */
export type Statuses = Record<string, number>;

type Kind = { share: number; status: number; path?: string; key?: string; body: (model: string) => unknown };

const LEAVE_AFTER_MS = 2;
const PATH = '/v1/chat/completions';
const chat = (content: string) => (model: string) => ({ model, messages: [{ role: 'user', content }] });

/** Of a hundred requests fifty are answered, and fifty fail in every way we could think of. */
const KINDS: Kind[] = [
  { share: 50, status: 200, body: chat('A question. '.repeat(75)) },
  { share: 10, status: 401, key: 'tmk_nobody', body: chat('hello') },
  { share: 10, status: 422, body: (model) => ({ model, messages: 'hello', unknown: true }) },
  { share: 6, status: 400, body: () => ({ model: 'nowhere', messages: [{ role: 'user', content: 'hello' }] }) },
  { share: 6, status: 404, path: '/v1/nowhere', body: chat('hello') },
  { share: 6, status: 503, body: chat('!500') },
  { share: 6, status: 429, body: chat('!429') },
  { share: 1, status: 503, body: chat('!reset') },
  { share: 5, status: 0, body: chat('!wait') },
];

const ROUND = KINDS.flatMap((kind) =>
  Array.from({ length: kind.share }, (_, i) => ({ kind, at: (i + 0.5) / kind.share })),
)
  // Evenly mixed, so that no model fails so often in a row that its circuit breaker opens.
  .sort((a, b) => a.at - b.at)
  .map(({ kind }) => kind);

answer({ send });

async function send({ port, key, connections, requests }: Mix): Promise<Statuses> {
  const statuses: Statuses = {};
  const each = Math.ceil(requests / connections);
  const clients = Array.from({ length: connections }, (_, i) => new Client(port, key, `bench-${i}`));
  await Promise.all(
    clients.map(async (client, number) => {
      for (let i = 0; i < each; i++) {
        // Each client begins elsewhere in the round, so that all kinds run at once.
        const kind = ROUND[(i + number * 7) % ROUND.length] as Kind;
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

  constructor(port: number, key: string, model: string) {
    this.#port = port;
    this.#requests = new Map(KINDS.map((kind) => [kind, encode(kind, key, model)]));
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
    const length = /content-length: (\d+)/i.exec(this.#received)?.[1];
    if (this.#received.length < headEnd + 4 + Number(length)) return;
    const status = Number(this.#received.slice(9, 12));
    this.#received = '';
    this.#onStatus(status);
  }
}

function encode({ path = PATH, key: other, body }: Kind, key: string, model: string): Buffer {
  const text = JSON.stringify(body(model));
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${other ?? key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}
