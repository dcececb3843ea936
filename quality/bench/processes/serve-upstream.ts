import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer } from './answer.ts';

// A minimal OpenAI-compatible server: one completion of about 1 KiB, or a stream of 200 chunks. A message that begins
// with `!` asks for a failure, one that begins with `~` for a stream of some seconds.
const CHUNKS = 200;
const head = { id: 'chatcmpl-bench', created: 1_700_000_000, model: 'bench' };
const usage = { prompt_tokens: 20, completion_tokens: CHUNKS, total_tokens: 20 + CHUNKS };
const whole = JSON.stringify({
  ...head,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'word '.repeat(170) }, finish_reason: 'stop' }],
  usage,
});
const chunk = (choices: unknown[], rest = {}) =>
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...rest })}\n\n`;
const WORDS = [' the', ' model', ',', ' writes', ' one', ' "', 'word', '"', ' after', ' another', '.\n'];
const texts = Array.from({ length: CHUNKS }, (_, i) =>
  chunk([{ index: 0, delta: { content: WORDS[i % WORDS.length] }, finish_reason: null }]),
);
const end = `${chunk([{ index: 0, delta: {}, finish_reason: 'stop' }])}${chunk([], { usage })}data: [DONE]\n\n`;

const SLOW_CHUNKS = 100;
const SLOW_MS = 50;

// Longer than any client waits, so that the 429 is passed on at once.
const RETRY_AFTER_SECONDS = '60';

function fail(response: ServerResponse, body: string): void {
  if (body.includes('"!500"')) response.writeHead(500, { 'content-length': 0 }).end();
  else if (body.includes('"!429"'))
    response.writeHead(429, { 'content-length': 0, 'retry-after': RETRY_AFTER_SECONDS }).end();
  else if (body.includes('"!reset"')) response.socket?.resetAndDestroy();
  // Otherwise it never responds: the client disconnects, and the gateway must abort the request.
}

function streamSlowly(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let sent = 0;
  const timer = setInterval(() => {
    if (++sent <= SLOW_CHUNKS) return void response.write(texts[0]);
    clearInterval(timer);
    response.end(end);
  }, SLOW_MS);
  response.on('close', () => clearInterval(timer));
}

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (part) => {
    body += part;
  });
  request.on('end', () => {
    if (body.includes('"!')) return fail(response, body);
    if (body.includes('"~')) return streamSlowly(response);
    if (!body.includes('"stream":true')) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length }).end(whole);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const text of texts) response.write(text);
    response.end(end);
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
answer({
  address: () => ({ port: (server.address() as AddressInfo).port }),
  openConnections: () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count))),
});
