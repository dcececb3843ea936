import { connect, type Socket } from 'node:net';
import { answer } from '../../bench/processes/answer.ts';

// Thousands of slow clients. Their observations are counted here, in a separate process.
const OPENING_AT_ONCE = 200;
const SECOND_MS = 1000;

type Held = { socket: Socket; said: string; openedAt: number; closedAt: number | undefined };
type Kind = 'half-headers' | 'slow-bodies' | 'slow-readers';

const held: Record<Kind, Held[]> = { 'half-headers': [], 'slow-bodies': [], 'slow-readers': [] };
const timers: NodeJS.Timeout[] = [];

answer({
  async halfHeaders({ port, count }: { port: number; count: number }): Promise<void> {
    await openAll('half-headers', port, count, () => 'GET /v1/models HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ');
  },
  async slowBodies({
    port,
    authorization,
    count,
  }: {
    port: number;
    authorization: string;
    count: number;
  }): Promise<void> {
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{`;
    await openAll('slow-bodies', port, count, () => head);
    every('slow-bodies', ({ socket }) => socket.write(' '));
  },
  async slowReaders({
    port,
    authorization,
    count,
  }: {
    port: number;
    authorization: string;
    count: number;
  }): Promise<void> {
    await openAll('slow-readers', port, count, (index) => {
      const body = JSON.stringify({
        model: 'small',
        stream: true,
        messages: [{ role: 'user', content: `say flood slow-${index}` }],
      });
      return `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    });
    for (const { socket } of held['slow-readers']) socket.removeAllListeners('data').pause();
    every('slow-readers', ({ socket }) => void socket.read(1));
  },
  /** How many there were, how many the server has ended, with which status and after how long. */
  state: (kind: Kind) => {
    const ended = held[kind].filter(({ closedAt }) => closedAt !== undefined);
    return {
      count: held[kind].length,
      ended: ended.length,
      timedOut: ended.filter(({ said }) => said.startsWith('HTTP/1.1 408 ')).length,
      longestMs: Math.max(0, ...ended.map(({ openedAt, closedAt = 0 }) => closedAt - openedAt)),
    };
  },
  close(): void {
    for (const timer of timers.splice(0)) clearInterval(timer);
    for (const { socket } of Object.values(held).flat()) socket.destroy();
  },
});

async function openAll(kind: Kind, port: number, count: number, say: (index: number) => string): Promise<void> {
  let next = 0;
  const open = async () => {
    while (next < count) held[kind].push(await openOne(port, say(next++)));
  };
  await Promise.all(Array.from({ length: OPENING_AT_ONCE }, open));
}

function openOne(port: number, bytes: string): Promise<Held> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    const one: Held = { socket, said: '', openedAt: performance.now(), closedAt: undefined };
    socket.once('error', reject);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      if (one.said.length < 100) one.said += chunk.toString('latin1');
    });
    socket.on('close', () => {
      one.closedAt = performance.now();
    });
    socket.once('connect', () => {
      socket.write(bytes);
      resolve(one);
    });
  });
}

function every(kind: Kind, work: (one: Held) => void): void {
  timers.push(setInterval(() => held[kind].filter(({ socket }) => !socket.destroyed).forEach(work), SECOND_MS));
}
