import type { ServerResponse } from 'node:http';
import { completion, json, type ScriptedUpstream, startUpstream, type UpstreamCall } from '../support/upstream.ts';

type Message = { role: string; content: string };
type Chat = {
  messages: Message[];
  tools?: { function: { name: string } }[];
  response_format?: unknown;
  stream?: boolean;
};

/** The model's call for each offered function. */
const CALLS: Record<string, unknown> = {
  order_status: { order_id: 'A-17' },
  document_library: { query: 'total' },
  code_interpreter: { code: 'print(sum(range(10)))' },
};

/** A model that behaves as the examples expect, with replies derived from its input. */
export async function startScriptedModel(): Promise<ScriptedUpstream> {
  const upstream = await startUpstream();
  upstream.answerWith((call, response) => {
    if (call.path.endsWith('/embeddings')) json(response, 200, embed(call));
    else replyTo(call.body as unknown as Chat, response);
  });
  return upstream;
}

function replyTo(chat: Chat, response: ServerResponse): void {
  const name = chat.tools?.[0]?.function.name;
  const isAsked = name !== undefined && chat.messages.at(-1)?.role !== 'tool';
  const given = { name, arguments: JSON.stringify(CALLS[name ?? '']) };
  const tool_calls = isAsked ? [{ index: 0, id: 'call00001', type: 'function', function: given }] : [];
  const finish_reason = isAsked ? 'tool_calls' : 'stop';
  const content = isAsked ? '' : textFor(chat);
  if (!chat.stream) {
    const whole = completion(content) as { choices: unknown[] };
    const message = { role: 'assistant', content, ...(isAsked && { tool_calls }) };
    json(response, 200, { ...whole, choices: [{ index: 0, message, finish_reason }] });
    return;
  }
  const deltas = isAsked ? [{ tool_calls }] : content.split(/(?<= )/).map((word) => ({ content: word }));
  const chunks = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason }] },
    { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } },
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  response.end('data: [DONE]\n\n');
}

function textFor({ messages, response_format }: Chat): string {
  const [system, last] = [messages.find(({ role }) => role === 'system')?.content ?? '', messages.at(-1)];
  if (response_format) return JSON.stringify({ name: 'Ada', city: 'Perpignan', urgent: true });
  if (last?.role === 'tool') return `The tool says: ${last.content}`;
  const [total] = /\d+\.\d+ EUR(?=[\s|]*\n\n)/.exec(system) ?? [];
  if (total) return `${total}, until ${/until (.+)\./.exec(system)?.[1]}.`;
  if (system.includes('Greet')) return `You told me: ${system}`;
  if (last?.content.includes('review')) return last.content.includes('Broken') ? 'negative' : 'positive';
  return 'The tramontane, from the north.';
}

/** One dimension per word that matters here. */
function embed({ body }: UpstreamCall): unknown {
  const words = ['library', 'bicycles', 'parking', 'pool', 'cost'];
  const data = (body.input as string[]).map((text, index) => ({
    object: 'embedding',
    index,
    embedding: words.map((word) => (text.toLowerCase().includes(word) ? 1 : 0.01)),
  }));
  return { object: 'list', model: 'scripted', data, usage: { prompt_tokens: 5, total_tokens: 5 } };
}
