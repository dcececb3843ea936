import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { json, type ScriptedUpstream, startUpstream, type UpstreamCall } from '../../test/support/upstream.ts';

type Call = { name: string; arguments: unknown; id?: string };
/** The model's next reply: words one by one, tool calls, or an error status. `until` delays the last word. */
export type Said = {
  words?: string[];
  calls?: Call[];
  status?: number;
  until?: Promise<unknown>;
  thinking?: string;
  /** A pause between two words, so that each is an event of its own. */
  paceMs?: number;
};

export type Conversing = { server: TestServer; upstream: ScriptedUpstream; says(...next: Said[]): void };

export const MODEL = 'small';

/** A scripted model: replies in order, then greetings. */
export async function startScript(): Promise<Pick<Conversing, 'upstream' | 'says'> & { unsay(): void }> {
  const upstream = await startUpstream();
  const script: Said[] = [];
  upstream.answerWith(
    (call, response) => void answer(call, response, script.shift() ?? { words: ['Hello ', 'there'] }),
  );
  return { upstream, says: (...next) => void script.push(...next), unsay: () => void script.splice(0) };
}

/** A server with a scripted model. */
export async function startConversing(
  database: TestDatabase,
  file: Record<string, unknown> = {},
  others: Record<string, unknown>[] = [],
): Promise<Conversing> {
  const { upstream, says } = await startScript();
  const server = await startTestServer(database, {
    file: {
      ...file,
      models: [
        {
          id: MODEL,
          engine: 'upstream',
          url: upstream.url,
          upstream_model: 'scripted',
          capabilities: { completion_chat: true, function_calling: true, reasoning: true },
        },
        ...(others as never[]),
      ],
    },
  });
  return { server, upstream, says };
}

async function answer({ body }: UpstreamCall, response: ServerResponse, said: Said): Promise<void> {
  if (said.status) return json(response, said.status, { error: { message: 'scripted failure' } });
  const tool_calls = (said.calls ?? []).map(({ name, arguments: given, id }, index) => ({
    index,
    id: id ?? `call${String(index).padStart(5, '0')}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }));
  const finish_reason = tool_calls.length > 0 ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
  const words = said.words ?? [];
  if (!body.stream) {
    await said.until;
    const message = { role: 'assistant', content: words.join(''), tool_calls };
    return json(response, 200, { id: '1', choices: [{ index: 0, message, finish_reason }], usage });
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (chunk: unknown) => response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  const delta = (part: unknown, finish: string | null = null) =>
    send({ choices: [{ index: 0, delta: part, finish_reason: finish }] });
  if (said.thinking) delta({ reasoning_content: said.thinking });
  for (const [index, content] of words.entries()) {
    if (index === words.length - 1) await said.until;
    if (said.paceMs) await sleep(said.paceMs);
    delta({ content });
  }
  if (words.length === 0) await said.until;
  if (tool_calls.length > 0) delta({ tool_calls });
  delta({}, finish_reason);
  send({ choices: [], usage });
  response.end('data: [DONE]\n\n');
}

export type Event = { id: number; event: string; data: Record<string, unknown> };

/** Reads events of a stream until it ends, or disconnects when there are `enough`. */
export async function readEvents(
  response: Response,
  enough: (events: Event[]) => boolean = () => false,
): Promise<{ events: Event[]; text: string }> {
  const events: Event[] = [];
  let text = '';
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    const chunk = decoder.decode(bytes, { stream: true });
    rest += chunk;
    const frames = rest.split('\n\n');
    rest = frames.pop() ?? '';
    // Without heartbeats, which are comments.
    for (const frame of frames.filter((given) => !given.startsWith(':'))) {
      text += `${frame}\n\n`;
      events.push(eventOf(frame));
    }
    if (enough(events)) break;
  }
  return { events, text };
}

function eventOf(frame: string): Event {
  const fields = Object.fromEntries(frame.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
  return { id: Number(fields.id), event: fields.event ?? '', data: JSON.parse(fields.data ?? 'null') };
}

export function post(
  { url, key }: Pick<TestServer, 'url' | 'key'>,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}
