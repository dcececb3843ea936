import { expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { ApiError } from '../kit/http/index.ts';
import { engineFor, hello, serveChat, startUpstream } from './chat-for-tests.ts';

it('a deprecated model answers with a warning that names its successor', async () => {
  const upstream = await startUpstream();
  const engine = engineFor(upstream);
  const server = await serveChat({
    old: { engine, deprecation: '2027-01-01T00:00:00Z', replacement: 'né"w' },
    small: engine,
  });
  const { headers } = await call(server, '/v1/chat/completions', { body: { ...hello, model: 'old' } });
  expect(headers.get('warning')).toBe(
    '299 - "The model old is deprecated and retires on 2027-01-01T00:00:00Z. Use n??w instead."',
  );
  const fresh = await call(server, '/v1/chat/completions', { body: hello });
  expect(fresh.headers.get('warning')).toBeNull();
});

it('the default temperature of a model is used where none is given [MODELS-CARD-TEMPERATURE]', async () => {
  const upstream = await startUpstream();
  const server = await serveChat({ small: { engine: engineFor(upstream), temperature: 0.3 } });
  await call(server, '/v1/chat/completions', { body: hello });
  await call(server, '/v1/chat/completions', { body: { ...hello, temperature: 0 } });
  expect(upstream.calls.map(({ body }) => body.temperature)).toEqual([0.3, 0]);
});

it('a request is reserved before it is sent, settled once, and refused when nothing is left', async () => {
  const upstream = await startUpstream();
  const asked: unknown[] = [];
  const settled: unknown[] = [];
  let isOver = false;
  const server = await serveChat(
    { small: engineFor(upstream) },
    {
      meter: {
        reserve(_scope, request) {
          if (isOver) throw new ApiError(429, 'Rate limit exceeded', { code: '1300', headers: { 'retry-after': '7' } });
          asked.push(request);
          return {
            headers: { 'x-ratelimit-remaining-tokens-minute': '5' },
            settle: (record) => void settled.push(record),
          };
        },
      },
    },
  );
  const { headers } = await call(server, '/v1/chat/completions', { body: { ...hello, max_tokens: 10, n: 2 } });
  expect(headers.get('x-ratelimit-remaining-tokens-minute')).toBe('5');
  // The server ignores `n`: the second request needs room in the budget beside the first, and both were sent the prompt.
  expect(asked).toMatchObject([
    { model: 'small', estimatedTokens: 22 },
    { model: 'small', isPart: true, unrecorded: { promptTokens: 7, completionTokens: 3 } },
  ]);
  expect(settled).toMatchObject([{ status: 200, usage: { promptTokens: 14, completionTokens: 6 } }]);
  isOver = true;
  const before = upstream.calls.length;
  expect((await call(server, '/v1/chat/completions', { body: { ...hello, stream: true } })).status).toBe(429);
  expect(upstream.calls).toHaveLength(before);
});
