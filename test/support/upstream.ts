import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './cleanup.ts';

export type UpstreamCall = { headers: IncomingMessage['headers']; path: string; body: Record<string, unknown> };
export type ScriptedUpstream = { url: string; calls: UpstreamCall[]; answerWith(script: Script): void };

type Script = (call: UpstreamCall, response: ServerResponse) => void;

/** A scripted OpenAI-compatible server at the network border. */
export async function startUpstream(): Promise<ScriptedUpstream> {
  const calls: UpstreamCall[] = [];
  let script: Script = (call, response) => json(response, 200, completion(`You said: ${lastText(call.body)}`));
  const server = createServer((request, response) => {
    let text = '';
    // A character may be in two chunks.
    request.setEncoding('utf8');
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const call = {
        headers: request.headers,
        path: request.url ?? '',
        // A form is not looked into, and a list is asked for without a body.
        body: (isForm(request) || text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
      };
      calls.push(call);
      script(call, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    answerWith(next) {
      script = next;
    },
  };
}

function isForm({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.startsWith('multipart/') === true;
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export function completion(content: string): unknown {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'scripted',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  };
}

function lastText(body: Record<string, unknown>): string {
  return (body.messages as { content: string }[]).at(-1)?.content ?? '';
}
