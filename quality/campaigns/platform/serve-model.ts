import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A vector for each text, by its length. */
function embed(input: string | string[]): string {
  const data = [input].flat().map((text, index) => ({ index, embedding: [1, text.length % 7, text.length % 5] }));
  return JSON.stringify({ object: 'list', model: 'm', data, usage: { prompt_tokens: 7, total_tokens: 7 } });
}

/** A model server at the network border with a fixed reply. */
export async function serveModel(): Promise<{ url: string; close: () => void }> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (request.method === 'GET') return void response.end('{"object":"list","data":[]}');
    if (request.url?.endsWith('/embeddings')) return void response.end(embed(JSON.parse(text).input));
    // Not parsed: a large request must not cost time here.
    const stream = text.includes('"stream":true');
    const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
    if (!stream) {
      const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello there' }, finish_reason: 'stop' }];
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ id: '1', object: 'chat.completion', model: 'm', choices, usage }));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const say = (chunk: unknown) => response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    for (const content of ['Hello ', 'there'])
      say({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
    say({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    say({ choices: [], usage });
    response.end('data: [DONE]\n\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
