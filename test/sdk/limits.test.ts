import { fileURLToPath } from 'node:url';
import { HTTPClient, Mistral } from '@mistralai/mistralai';
import { MistralError } from '@mistralai/mistralai/models/errors';
import { describe, expect, it } from 'vitest';
import { textEvents } from '../../src/chat/chat-for-tests.ts';
import { serveLimited } from '../../src/metering/limits-for-tests.ts';
import { sqliteForTests } from '../support/databases.ts';
import { python } from '../support/python.ts';
import { runPython } from '../support/run-python.ts';
import { completion, json } from '../support/upstream.ts';

const body = { object: 'error', message: 'Rate limit exceeded', type: 'rate_limited', param: null, code: '1300' };
const question = { model: 'small', messages: [{ role: 'user' as const, content: 'hello' }] };

async function serve() {
  const server = await serveLimited(sqliteForTests(), { key: { requests_per_second: 1 } });
  server.upstream.answerWith(({ body }, response) =>
    body.stream ? textEvents(response, ['Hi.']) : json(response, 200, completion('Hi.')),
  );
  return server;
}

/** The error of the first refused call; several calls, because the limit may refill in between. */
async function refusal(call: () => Promise<unknown>): Promise<unknown> {
  for (let i = 0; i < 100; i++) {
    try {
      await call();
    } catch (error) {
      return error;
    }
  }
  throw new Error('nothing was refused');
}

describe('a used-up limit in the official TypeScript SDK', () => {
  it('is an error with status, body and Retry-After, and is not tried again by itself', async () => {
    const server = await serve();
    const client = new Mistral({ serverURL: server.url, apiKey: server.key });
    for (const call of [() => client.chat.complete(question), () => client.chat.stream(question)]) {
      const error = await refusal(call);
      expect(error).toBeInstanceOf(MistralError);
      const { statusCode, headers, body: text } = error as MistralError;
      expect([statusCode, headers.get('retry-after'), JSON.parse(text)]).toEqual([429, '1', body]);
    }
  });

  it('is waited for as long as Retry-After says when retries are configured', async () => {
    const server = await serve();
    const statuses: number[] = [];
    const httpClient = new HTTPClient({
      fetcher: async (input, init) => {
        const response = await fetch(input, init);
        statuses.push(response.status);
        return response;
      },
    });
    // Without Retry-After the client would wait a random part of a second, which is too short.
    const backoff = { initialInterval: 1, maxInterval: 5000, exponent: 1, maxElapsedTime: 30_000 };
    const retryConfig = { strategy: 'backoff' as const, backoff, retryConnectionErrors: false };
    const client = new Mistral({ serverURL: server.url, apiKey: server.key, retryConfig, httpClient });
    for (let i = 0; i < 3 && !statuses.includes(429); i++) {
      expect((await client.chat.complete(question)).choices[0]?.message?.content).toBe('Hi.');
    }
    expect(statuses.slice(-2)).toEqual([429, 200]);
  });
});

describe.runIf(python)('a used-up limit in the official Python SDK', () => {
  it('is an error with status, body and Retry-After, and is waited for when retries are configured', async () => {
    const server = await serve();
    const script = fileURLToPath(new URL('./limits.py', import.meta.url));
    const stdout = await runPython(script, [server.url, server.key]);
    const refused = { status: 429, body, retry_after: '1' };
    expect(JSON.parse(stdout)).toEqual({ plain: refused, streamed: refused, answers: ['Hi.', 'Hi.'] });
  });
});
