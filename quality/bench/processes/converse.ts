import { Agent, type IncomingMessage, request } from 'node:http';
import { percentile } from '../statistics.ts';
import { answer } from './answer.ts';

// A client of conversations: one that sends and waits, and many that stream their replies.
type Server = { port: number; key?: string };
type Asked = { method: string; path: string; body?: unknown };

const agent = new Agent({ keepAlive: true });
const CHARACTERS_SEEN = 4000;

answer({
  /** Milliseconds of each request, one after another. */
  async time({ server, asked }: { server: Server; asked: Asked[] }): Promise<number[]> {
    const times: number[] = [];
    for (const one of asked) {
      const startedAt = performance.now();
      await textOf(await send(server, one));
      times.push(performance.now() - startedAt);
    }
    return times;
  },
  ask: async ({ server, asked }: { server: Server; asked: Asked }): Promise<unknown> =>
    JSON.parse(await textOf(await send(server, asked))),
  watch,
});

/**
 * All streams at once; each must finish. Returns how many were open together, and the slowest time to the first event.
 */
async function watch({ server, asked, count }: { server: Server; asked: Asked; count: number }) {
  let open = 0;
  let openMax = 0;
  const firstMs: number[] = [];
  await Promise.all(
    Array.from({ length: count }, async () => {
      const startedAt = performance.now();
      const response = await send(server, asked, false);
      openMax = Math.max(openMax, ++open);
      let last = '';
      for await (const part of response) {
        if (last === '') firstMs.push(performance.now() - startedAt);
        last = (last + part).slice(-CHARACTERS_SEEN);
      }
      open--;
      if (!last.includes('conversation.response.done')) throw new Error(`A run ended with ${last.slice(-300)}`);
    }),
  );
  return { openMax, firstP99Ms: percentile(firstMs, 0.99) };
}

function send({ port, key }: Server, { method, path, body }: Asked, keep = true): Promise<IncomingMessage> {
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: keep ? agent : false }, resolve);
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const part of response) text += part;
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${text.slice(0, 300)}`);
  return text;
}
