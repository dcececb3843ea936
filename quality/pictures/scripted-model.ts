import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

const TOKEN_MS = 6;

export const QUESTION = 'A card payment timed out. How do I retry it without charging the customer twice?';

const ANSWER = `Send the **same idempotency key** with every attempt. The first request that reaches the bank does the work; a repeat returns the stored response.

1. Create the key once, before the first attempt.
2. Retry on timeouts and 5xx, with growing pauses.
3. Stop on 4xx: a repeat cannot help.

\`\`\`ts
const payment = await fetch('/payments', {
  method: 'POST',
  headers: { 'Idempotency-Key': order.id },
  body: JSON.stringify({ cents: 4200 }),
});
\`\`\`

In a workflow, \`step.idempotencyKey\` is that key: it stays the same across retries, crashes and restarts.`;

const DRAFT =
  'Hello Ann, yes: our workshop is open on Saturdays from 9 to 16. Small repairs are done while you wait; please book larger ones a day ahead.';

/** An OpenAI-compatible server with the answers that the pictures show. */
export async function startScriptedModel(): Promise<{ url: string; stop(): void }> {
  const server: Server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as { stream?: boolean; messages: { content: unknown }[] };
    const isQuestion = JSON.stringify(body.messages).includes(QUESTION);
    const words = (isQuestion ? ANSWER : DRAFT).split(/(?<=\s)/);
    const usage = { prompt_tokens: 27, completion_tokens: words.length, total_tokens: 27 + words.length };
    const shared = { id: 'chatcmpl-1', model: 'm', created: 1 };
    if (!body.stream) {
      const choices = [{ index: 0, message: { role: 'assistant', content: words.join('') }, finish_reason: 'stop' }];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...shared, object: 'chat.completion', choices, usage }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (delta: object, finish_reason: string | null, more: object = {}) =>
      response.write(
        `data: ${JSON.stringify({ ...shared, choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`,
      );
    for (const content of words) {
      send({ content }, null);
      await delay(TOKEN_MS);
    }
    send({}, 'stop', { usage });
    response.end('data: [DONE]\n\n');
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
