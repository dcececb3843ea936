import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { call } from '../../../test/support/call.ts';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { empty, raw, rendered, route, sse, streamedList } from './index.ts';
import type { RequestContext } from './route.ts';

const LONG = 'ä'.repeat(600_000);

async function* once<T>(value: T) {
  yield value;
}

const KINDS: Record<string, { text: string; status?: number; answer: (context: RequestContext) => unknown }> = {
  object: { text: '{"a":"b"}', answer: () => ({ a: 'b' }) },
  promised: { text: '{"a":"b"}', answer: async () => ({ a: 'b' }) },
  'not-ascii': { text: '{"a":"äöü 日本 🙂 \u00ff"}', answer: () => ({ a: 'äöü 日本 🙂 \u00ff' }) },
  header: {
    text: '{"a":"b"}',
    answer: ({ setHeader }) => {
      setHeader('x-own', 'yes');
      return { a: 'b' };
    },
  },
  cookies: {
    text: '{"a":"b"}',
    answer: ({ setHeader }) => {
      setHeader('set-cookie', 'one=1');
      setHeader('set-cookie', 'two=2');
      setHeader('x-own', 'no');
      setHeader('x-own', 'yes');
      return { a: 'b' };
    },
  },
  status: {
    text: '{"a":"b"}',
    status: 202,
    answer: (context) => {
      context.setStatus(202);
      return { a: 'b' };
    },
  },
  long: { text: JSON.stringify({ a: LONG }), answer: () => ({ a: LONG }) },
  rendered: { text: '{"a":"ß"}', answer: () => rendered('{"a":"ß"}', '"tag"') },
  'rendered-later': { text: '{"a":1}', answer: () => rendered(async () => '{"a":1}', '"tag"') },
  list: { text: '["a"]', answer: () => streamedList(once(['a'])) },
  raw: { text: 'plain', answer: () => raw('plain', 'text/plain') },
  nothing: { text: '', answer: () => undefined },
  empty: { text: '', status: 204, answer: () => empty(204) },
  stream: { text: 'data: 1\n\n', answer: () => sse(once({ data: 1 })) },
};

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(sqliteForTests(), {
    extraRoutes: () =>
      Object.entries(KINDS).flatMap(([name, { answer }]) =>
        (['GET', 'POST'] as const).map((method) =>
          route({
            method,
            path: `/test/${name}`,
            operationId: `test_${name}_${method}`,
            summary: name,
            permission: 'identity:read',
            response: z.unknown(),
            creates:
              method === 'POST' && !['stream', 'raw', 'list', 'empty'].includes(name) && !name.startsWith('rendered'),
            handler: (context) => answer(context as RequestContext) as object,
          }),
        ),
      ),
  });
});

describe.each(Object.entries(KINDS))('a response of the kind %s', (name, { text, status = 200 }) => {
  const headers = { 'x-request-id': 'my-own-id' };
  const idsOf = (answer: Awaited<ReturnType<typeof call>>) =>
    ['x-request-id', 'mistral-correlation-id'].map((header) => answer.headers.get(header));

  it('has its text, its length and the id of its request', async () => {
    const answer = await call(server, `/test/${name}`, { headers });
    expect([answer.status, answer.text]).toEqual([status, text]);
    expect(idsOf(answer)).toEqual(['my-own-id', 'my-own-id']);
    const own = { header: ['yes', []], cookies: ['yes', ['one=1', 'two=2']] }[name] ?? [null, []];
    expect([answer.headers.get('x-own'), answer.headers.getSetCookie()]).toEqual(own);
    const length = answer.headers.get('content-length');
    if (length !== null) expect(length).toBe(String(Buffer.byteLength(text)));
    if (name === 'header') expect(answer.headers.get('x-own')).toBe('yes');
    if (name.startsWith('rendered')) expect(answer.headers.get('etag')).toBe('"tag"');
    if (text.startsWith('{')) expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('has the same headers and no text for HEAD', async () => {
    // Fastify names a type for HEAD where there is no text.
    if (name === 'stream' || name === 'empty') return;
    const whole = await call(server, `/test/${name}`, { headers });
    const head = await call(server, `/test/${name}`, { method: 'HEAD', headers });
    expect([head.status, head.text, idsOf(head)]).toEqual([status, '', ['my-own-id', 'my-own-id']]);
    for (const header of ['content-type', 'etag', 'x-own'])
      expect([header, head.headers.get(header)]).toEqual([header, whole.headers.get(header)]);
  });

  it('has the id under an Idempotency-Key too, and is a 304 where its tag is known', async () => {
    const again = await call(server, `/test/${name}`, {
      body: {},
      headers: { ...headers, 'idempotency-key': `key-${name}` },
    });
    expect([again.status, idsOf(again)]).toEqual([status, ['my-own-id', 'my-own-id']]);
    if (!name.startsWith('rendered')) return;
    const known = await call(server, `/test/${name}`, { headers: { ...headers, 'if-none-match': '"tag"' } });
    expect([known.status, known.text, idsOf(known)]).toEqual([304, '', ['my-own-id', 'my-own-id']]);
  });
});
