import { expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { onSqliteFirst } from '../../../test/support/databases.ts';
import { completion, json } from '../../../test/support/upstream.ts';
import { textEvents } from '../../chat/chat-for-tests.ts';
import { advance, chat, hello, holdTheClock, newKey, retryAfter, serveLimited } from '../limits-for-tests.ts';

const RATE_LIMITED = {
  object: 'error',
  message: 'Rate limit exceeded',
  type: 'rate_limited',
  param: null,
  code: '1300',
};

holdTheClock();

function answerUsing(promptTokens: number, completionTokens: number) {
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
  return { ...(completion('Hi.') as Record<string, unknown>), usage };
}

onSqliteFirst('a used-up limit', (database) => {
  it('of requests is 429 with the body of the contract, and Retry-After is exact to the second [CHAT-429-BODY]', async () => {
    const server = await serveLimited(database, { key: { requests_per_second: 1 } });
    expect((await chat(server)).status).toBe(200);
    const refused = await chat(server);
    expect([refused.status, refused.body]).toEqual([429, RATE_LIMITED]);
    expect(refused.headers.get('content-type')).toMatch(/^application\/json/);
    expect(refused.headers.get('x-request-id')).toBe(refused.headers.get('mistral-correlation-id'));
    expect(refused.headers.get('x-ratelimit-limit-req-minute')).toBe('60');
    expect(refused.headers.get('x-ratelimit-remaining-req-minute')).toBe('0');
    expect(retryAfter(refused)).toBe(1);
    const others = [
      call(server, '/v1/chat/completions', { body: { ...hello, stream: true } }),
      call(server, '/v1/fim/completions', { body: { model: 'small', prompt: 'x' } }),
      call(server, '/v1/fim/completions', { body: { model: 'small', prompt: 'x', stream: true } }),
    ];
    for (const { status, body } of await Promise.all(others)) expect([status, body]).toEqual([429, RATE_LIMITED]);
    expect(server.upstream.calls).toHaveLength(1);
    advance(999);
    expect((await chat(server)).status).toBe(429);
    advance(1);
    expect((await chat(server)).status).toBe(200);
    expect((await chat({ url: server.url, key: await newKey(server) })).status).toBe(200);
  });

  it('of tokens books the actual usage as a debt, and Retry-After waits for all of it', async () => {
    const server = await serveLimited(database, { key: { tokens_per_minute: 600 } });
    server.upstream.answerWith((_call, response) => json(response, 200, answerUsing(500, 700)));
    const first = await chat(server);
    expect([first.status, first.headers.get('x-ratelimit-tokens-query-cost')]).toEqual([200, '2']);
    const refused = await chat(server);
    expect([refused.status, refused.body]).toEqual([429, RATE_LIMITED]);
    expect(refused.headers.get('x-ratelimit-remaining-tokens-minute')).toBe('0');
    // Ten tokens a second; 1,200 of a bucket of about 600 leave a debt of about 600.
    expect(retryAfter(refused)).toBeGreaterThanOrEqual(60);
    expect(retryAfter(refused)).toBeLessThanOrEqual(62);
    advance((retryAfter(refused) - 1) * 1000);
    const nearly = await chat(server);
    expect([nearly.status, retryAfter(nearly)]).toEqual([429, 1]);
    advance(1000);
    expect((await chat(server)).status).toBe(200);
  });

  it('of tokens refunds what was reserved and not used, after a stream too', async () => {
    const server = await serveLimited(database, { key: { tokens_per_minute: 600 } });
    server.upstream.answerWith((_call, response) => textEvents(response, ['Hi.']));
    for (let i = 0; i < 5; i++) {
      const answer = await chat(server, { max_tokens: 400, stream: true });
      expect([answer.status, answer.headers.get('x-ratelimit-tokens-query-cost')]).toEqual([200, '402']);
    }
  });

  it('of money is 429 until the next month begins, by the prices in the file; free models go on', async () => {
    // 7 tokens of prompt at 1 and 3 of completion at 10 a million are 37 millionths.
    const server = await serveLimited(database, { key: { monthly_budget: 0.000074 } });
    expect((await chat(server)).status).toBe(200);
    expect((await chat(server)).status).toBe(200);
    const refused = await chat(server);
    expect(refused).toMatchObject({ status: 429, body: { ...RATE_LIMITED, message: expect.any(String) } });
    expect((refused.body as { message: string }).message).toMatch(
      /^The monthly budget of this key is spent\. The next month begins on 2026-04-01 \(UTC\)/,
    );
    expect(retryAfter(refused)).toBe((Date.parse('2026-04-01') - Date.now()) / 1000);
    expect((await chat(server, { model: 'free' })).status).toBe(200);
    advance((retryAfter(refused) - 1) * 1000);
    expect((await chat(server)).status).toBe(429);
    advance(1000);
    expect((await chat(server)).status).toBe(200);
  });
});
