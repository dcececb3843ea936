import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const sha256Of = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** What the server does at one request for bytes; without a word it sends what was asked for. */
type Mood = 'well' | 'silent' | 'stalls' | { status: number } | { cutAfter: number } | { redirect: string };

export type FakeHuggingFace = {
  baseUrl: string;
  /** One line per request for bytes, such as `bytes=100-`. */
  ranges: (string | undefined)[];
  /** What came as authorization at the front door and at the store of bytes. */
  tokens: { front: (string | undefined)[]; store: (string | undefined)[] };
  /** Moods of the next requests for bytes, in order. */
  moods: Mood[];
  files: Map<string, Buffer>;
  close(): Promise<void>;
};

/** A server that behaves like Hugging Face: it states a sha256 and redirects to another origin that has the bytes. */
export async function serveHuggingFace({ statesSha256 = true } = {}): Promise<FakeHuggingFace> {
  const files = new Map<string, Buffer>();
  const moods: Mood[] = [];
  const ranges: (string | undefined)[] = [];
  const tokens: FakeHuggingFace['tokens'] = { front: [], store: [] };
  const store = createServer((request, response) => {
    ranges.push(request.headers.range);
    tokens.store.push(request.headers.authorization);
    sendBytes(request, response, files.get(decodeURIComponent(request.url ?? '')), moods.shift() ?? 'well');
  });
  const storePort = await listen(store);
  const front = createServer((request, response) => {
    tokens.front.push(request.headers.authorization);
    const url = decodeURIComponent(request.url ?? '');
    const repository = /^\/api\/models\/(.+)$/.exec(url)?.[1];
    if (repository !== undefined) {
      const names = [...files.keys()].filter((path) => path.startsWith(`/${repository}/resolve/main/`));
      const siblings = names.map((path) => ({ rfilename: path.replace(/^.+?\/resolve\/main\//, '') }));
      return void response.writeHead(names.length > 0 ? 200 : 404).end(JSON.stringify({ siblings }));
    }
    const content = files.get(url);
    if (!content) return void response.writeHead(404).end('Entry not found');
    const stated = statesSha256 ? { 'x-linked-etag': `"${sha256Of(content)}"` } : {};
    response.writeHead(302, { location: `http://127.0.0.1:${storePort}${request.url}`, ...stated }).end();
  });
  const port = await listen(front);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    ...{ ranges, tokens, moods, files },
    async close() {
      for (const server of [front, store]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

function sendBytes(request: IncomingMessage, response: ServerResponse, content: Buffer | undefined, mood: Mood): void {
  if (mood === 'silent') return;
  if (typeof mood === 'object' && 'status' in mood) return void response.writeHead(mood.status).end();
  if (typeof mood === 'object' && 'redirect' in mood)
    return void response.writeHead(302, { location: mood.redirect }).end();
  if (!content) return void response.writeHead(404).end();
  const etag = `"${sha256Of(content).slice(0, 16)}"`;
  const wish = request.headers['if-range'] === undefined || request.headers['if-range'] === etag;
  const from = wish ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0;
  if (from >= content.length) return void response.writeHead(416).end();
  const rest = content.subarray(from);
  const range = from > 0 ? { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` } : {};
  response.writeHead(from > 0 ? 206 : 200, { etag, 'content-length': rest.length, ...range });
  if (typeof mood === 'object') response.write(rest.subarray(0, mood.cutAfter), () => response.destroy());
  else if (mood === 'stalls') response.write(rest.subarray(0, rest.length / 2));
  else response.end(rest);
}

function listen(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
