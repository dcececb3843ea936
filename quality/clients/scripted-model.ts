import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { sampleOf } from './sample-of.ts';

type Part = { type: string; text?: string };
type Message = { role: string; content?: string | Part[] | null; tool_calls?: unknown[] };
type Tool = { function: { name: string; parameters?: unknown } };
type Chat = {
  messages: Message[];
  tools?: Tool[];
  tool_choice?: string | { function: { name: string } };
  response_format?: { type: string; json_schema?: { schema: unknown } };
  stream?: boolean;
};

export const ANSWER = 'The tramontane, from the north.';
const USAGE = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };

/**
 * A model server at the network border whose every reply follows from its request, so that a client's program prints the
 * same text each time. It calls the tool that it is told or offered, fills the schema it is given, and repeats what a tool told it.
 */
export async function startScriptedModel(): Promise<{ url: string; stop(): void }> {
  const server = createServer(async (request, response) => {
    const given = await text(request);
    if (request.url?.endsWith('/audio/transcriptions')) {
      sendTranscript(response, /name="stream"\r\n\r\ntrue/.test(given));
      return;
    }
    // It has no socket for live audio, so that sound comes in files.
    if (request.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    const body = JSON.parse(given);
    if (request.url?.endsWith('/embeddings')) sendJson(response, embed(body.input));
    else if (request.url?.endsWith('/fim/completions')) send(response, body, { content: '    return a + b' });
    else if (!takesLong(body)) send(response, body, replyTo(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A reply that does not come: the client cancels it. */
function takesLong({ messages }: Chat): boolean {
  return messages.some((message) => message.role === 'user' && textOf(message) === 'Take your time.');
}

type Reply = { content: string } | { call: { name: string; arguments: string } };

function replyTo(chat: Chat): Reply {
  const last = lastOf(chat);
  const [, name, given] = /Call (\w+) with (\{.*\})$/m.exec(last?.role === 'user' ? textOf(last) : '') ?? [];
  if (name && given) return { call: { name, arguments: given } };
  const tool = chooseTool(chat);
  if (tool) return { call: { name: tool.function.name, arguments: argumentsFor(tool, chat) } };
  const { type, json_schema } = chat.response_format ?? {};
  if (type === 'json_schema') return { content: JSON.stringify(sampleOf(json_schema?.schema)) };
  if (type === 'json_object') return { content: JSON.stringify({ name: 'Ada', city: 'Perpignan', urgent: true }) };
  const told = resultIn(chat);
  if (told !== undefined) return { content: `The tool says: ${told}` };
  return { content: ANSWER };
}

/** The forced tool, or for a question about an order the first one; after a result the one that hands in the final answer, if there is one. */
function chooseTool({ messages, tools = [], tool_choice }: Chat): Tool | undefined {
  if (tool_choice === 'none') return undefined;
  if (typeof tool_choice === 'object')
    return tools.find(({ function: { name } }) => name === tool_choice.function.name);
  if (tool_choice !== 'any' && tool_choice !== 'required' && !messages.some(isAboutOrders)) return undefined;
  const isFinal = ({ function: { name } }: Tool) => /^(final_|finish)/.test(name);
  if (resultIn({ messages }) !== undefined) return tools.find(isFinal);
  return tools.find((tool) => !isFinal(tool)) ?? tools[0];
}

function isAboutOrders(message: Message): boolean {
  return message.role === 'user' && textOf(message).includes('my order');
}

function argumentsFor(tool: Tool, chat: Chat): string {
  const told = resultIn(chat);
  const given = told === undefined ? {} : { answer: `The tool says: ${told}` };
  return JSON.stringify({ ...(sampleOf(tool.function.parameters) as object), ...given });
}

/** What a tool has just returned; smolagents says so in a message of the user. */
function resultIn({ messages }: Pick<Chat, 'messages'>): string | undefined {
  const last = lastOf({ messages });
  if (!last) return undefined;
  if (last.role === 'tool') return textOf(last);
  return /Observation:\s*(.+)/s.exec(textOf(last))?.[1]?.trim();
}

/** Some clients end with instructions. */
function lastOf({ messages }: Pick<Chat, 'messages'>): Message | undefined {
  return messages.findLast(({ role }) => role !== 'system');
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? '').join('');
}

function send(response: ServerResponse, { stream }: Chat, reply: Reply): void {
  const isCall = 'call' in reply;
  const finish_reason = isCall ? 'tool_calls' : 'stop';
  const tool_calls = isCall ? [{ index: 0, id: 'call00001', type: 'function', function: reply.call }] : undefined;
  const content = isCall ? '' : reply.content;
  const head = { id: 'chatcmpl-1', created: 1, model: 'scripted' };
  if (!stream) {
    const message = { role: 'assistant', content, ...(tool_calls && { tool_calls }) };
    sendJson(response, {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason }],
      usage: USAGE,
    });
    return;
  }
  const deltas = tool_calls ? [{ tool_calls }] : content.split(/(?<= )/).map((word) => ({ content: word }));
  const chunks = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason }] },
    { choices: [], usage: USAGE },
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) response.write(`data: ${JSON.stringify({ ...head, ...chunk })}\n\n`);
  response.end('data: [DONE]\n\n');
}

const WORDS = ['wind', 'sea', 'mountain', 'wine'];

/** One dimension per word that matters here. */
function embed(input: string | string[]): unknown {
  const data = [input].flat().map((given, index) => ({
    object: 'embedding',
    index,
    embedding: WORDS.map((word) => (given.toLowerCase().includes(word) ? 1 : 0.01)),
  }));
  return { object: 'list', model: 'scripted', data, usage: { prompt_tokens: 5, total_tokens: 5 } };
}

function sendTranscript(response: ServerResponse, isStream: boolean): void {
  const words = ANSWER.split(' ').map((word, at) => ({ word, start: at / 2, end: at / 2 + 0.4 }));
  const segments = [{ text: ANSWER, start: 0, end: 2.5 }];
  const whole = { text: ANSWER, language: 'english', duration: 2.5, segments, words };
  if (!isStream) {
    sendJson(response, whole);
    return;
  }
  const deltas = ANSWER.split(/(?<= )/).map((delta) => ({ type: 'transcript.text.delta', delta }));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of [...deltas, { type: 'transcript.text.done', ...whole }])
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.end();
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
