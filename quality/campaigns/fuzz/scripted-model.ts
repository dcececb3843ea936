import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const DIMENSIONS = 8;
const usage = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };
const head = { id: 'scripted', created: 1_700_000_000, model: 'scripted' };

type Question = {
  stream?: boolean;
  input?: unknown;
  tools?: { function?: { name?: string } }[];
  messages?: Message[];
  response_format?: { type?: string };
};
type Message = { role: string };

export type ScriptedModel = { url: string; stop(): void };

/** A model server at the network border that replies at once: words, a call of the first offered tool, or vectors. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const server = createServer((request, response) => void reply(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url?.endsWith('/transcriptions')) {
    await text(request);
    return send(response, { text: 'two words', language: 'en', duration: 1, segments: [] });
  }
  const question = JSON.parse((await text(request)) || '{}') as Question;
  if (request.url?.endsWith('/embeddings')) return send(response, vectors(question));
  if (request.url?.endsWith('/moderations')) return send(response, judgements(question));
  const delta = messageFor(question);
  const finish_reason = 'tool_calls' in delta ? 'tool_calls' : 'stop';
  if (!question.stream) {
    const choice = { index: 0, message: { role: 'assistant', ...delta }, text: 'two words', finish_reason };
    return send(response, { ...head, object: 'chat.completion', choices: [choice], usage });
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (choices: unknown[], more = {}) =>
    response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...more })}\n\n`);
  chunk([{ index: 0, delta: { role: 'assistant', ...delta }, text: 'two words', finish_reason: null }]);
  chunk([{ index: 0, delta: {}, text: '', finish_reason }]);
  chunk([], { usage });
  response.end('data: [DONE]\n\n');
}

/** A tool is called once: after its result the reply is words. */
function messageFor({ tools = [], messages = [], response_format }: Question): Record<string, unknown> {
  const name = tools[0]?.function?.name;
  if (name === undefined || messages.at(-1)?.role === 'tool')
    return { content: response_format?.type?.startsWith('json') ? '{}' : 'two words' };
  const call = { index: 0, id: 'call00001', type: 'function', function: { name, arguments: '{}' } };
  return { content: '', tool_calls: [call] };
}

function vectors({ input }: Question): unknown {
  const texts = Array.isArray(input) ? input : [input];
  const embedding = Array.from({ length: DIMENSIONS }, (_, i) => (i + 1) / 10);
  const data = texts.map((_, index) => ({ object: 'embedding', index, embedding }));
  return {
    object: 'list',
    model: 'scripted',
    data,
    usage: { prompt_tokens: texts.length, total_tokens: texts.length },
  };
}

function judgements({ input }: Question): unknown {
  const texts = Array.isArray(input) ? input : [input];
  const result = { categories: { hate: false, violence: false }, category_scores: { hate: 0.1, violence: 0.2 } };
  return { id: 'scripted', model: 'scripted', results: texts.map(() => result) };
}

function send(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
