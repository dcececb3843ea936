import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from '../../test/support/cleanup.ts';

export type SentForm = { fields: Record<string, string[]>; file: { name: string; bytes: Buffer } | undefined };

export const TRANSCRIPT = {
  text: 'Good morning. How are you?',
  language: 'english',
  duration: 3.2,
  segments: [
    { text: ' Good morning.', start: 0, end: 1.5, avg_logprob: -0.1 },
    { text: ' How are you?', start: 1.6, end: 3.2, avg_logprob: -0.2 },
  ],
};

/** A server that transcribes as OpenAI's does, at the network border. */
export async function startTranscriber() {
  const forms: SentForm[] = [];
  let answer = (_form: SentForm, response: ServerResponse) => reply(response, 200, TRANSCRIPT);
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const form = await new Response(Buffer.concat(chunks), {
      headers: { 'content-type': request.headers['content-type'] ?? '' },
    }).formData();
    const fields: Record<string, string[]> = {};
    let file: SentForm['file'];
    for (const [name, value] of form)
      if (typeof value === 'string') fields[name] = [...(fields[name] ?? []), value];
      else file = { name: value.name, bytes: Buffer.from(await value.arrayBuffer()) };
    forms.push({ fields, file });
    answer({ fields, file }, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    forms,
    answerWith(next: typeof answer) {
      answer = next;
    },
  };
}

export function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
