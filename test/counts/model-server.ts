import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from '../support/cleanup.ts';

export const CHUNKS = 50;
const DIMENSIONS = 256;

const head = { id: 'one', created: 1, model: 'any' };
const usage = { prompt_tokens: 5, completion_tokens: CHUNKS, total_tokens: 5 + CHUNKS };
const COMPLETION = JSON.stringify({
  ...head,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'word '.repeat(CHUNKS) }, finish_reason: 'stop' }],
  usage,
});
const VECTOR = Array.from({ length: DIMENSIONS }, (_, i) => Math.sin(i));
const EMBEDDINGS = JSON.stringify({
  object: 'list',
  model: 'any',
  data: [{ object: 'embedding', index: 0, embedding: VECTOR }],
  usage: { prompt_tokens: 5, total_tokens: 5 },
});
const chunk = (choices: unknown[], rest = {}) =>
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...rest })}\n\n`;
const WORD = chunk([{ index: 0, delta: { content: 'word ' }, finish_reason: null }]);
const END = `${chunk([{ index: 0, delta: {}, finish_reason: 'stop' }])}${chunk([], { usage })}data: [DONE]\n\n`;

export type ModelServer = {
  url: string;
  /** Sends one more chunk of the stream that is open: called for each that arrived, each is read and written by itself. */
  sendNext(): void;
};

/** Answers at once; a stream waits before each of its chunks if the first message asks for steps. */
export async function startModelServer(): Promise<ModelServer> {
  let open: { response: ServerResponse; left: number } | undefined;
  const sendNext = () => {
    if (!open) return;
    if (open.left-- > 0) return void open.response.write(WORD);
    open.response.end(END);
    open = undefined;
  };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      if (request.url?.endsWith('/embeddings')) return void response.end(EMBEDDINGS);
      if (!body.includes('"stream":true')) return void response.end(COMPLETION);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (!body.includes('step by step')) return void response.end(WORD.repeat(CHUNKS) + END);
      open = { response, left: CHUNKS };
      sendNext();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, sendNext };
}
