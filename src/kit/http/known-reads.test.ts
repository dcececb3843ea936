import { connect } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { isRoundUsed } from '../base/round-budget.ts';
import type { Idempotency } from './idempotency.ts';
import { type AnyRoute, rendered, route } from './index.ts';
import { requestErrors } from './request-errors.ts';
import type { Scope } from './scope.ts';
import { createHttpServer, type HttpObserver } from './server.ts';

type Observed = Parameters<HttpObserver['onResponse']>;

const TEXT = '{"name":"ä"}';
const PATH = '/things/one?of=me';
const ROUND_MS = 15;
const LATE_MS = 300;
const scopeOf = (key_id: string, more: Partial<Scope> = {}) =>
  ({ principal: key_id, key_id, permissions: new Set(['things:read']), ...more }) as unknown as Scope;

const scopes = new Map<string, () => Scope | Promise<Scope>>();
const begun: string[] = [];
const observed: Observed[] = [];
/** What is in memory for a caller, and how often a handler was asked. */
let memory: (scope: Scope) => string | undefined;
let asked = 0;

const common = { summary: 'x', permission: 'things:read', method: 'GET' } as const;
const routes: AnyRoute[] = [
  route({
    ...common,
    path: '/things/:name',
    operationId: 'things_get',
    params: z.strictObject({ name: z.string() }),
    query: z.strictObject({ of: z.enum(['me', 'all']).optional() }),
    response: z.unknown(),
    handler({ scope, params }) {
      asked++;
      if (params.name === 'late') return new Promise((resolve) => setTimeout(resolve, LATE_MS, { name: 'late' }));
      return rendered(memory(scope) ?? TEXT, '"tag"');
    },
    known({ scope, params, query }) {
      const text = memory(scope);
      return params.name === 'one' && query.of === 'me' && text !== undefined ? rendered(text, '"tag"') : undefined;
    },
  }),
];

const open = (trustedProxies: string[] = []) =>
  createHttpServer({
    routes,
    trustedProxies,
    authenticate: ({ authorization }) => scopes.get(authorization ?? '')?.(),
    observers: [{ onRequest: ({ id }) => void begun.push(id), onResponse: (...seen) => void observed.push(seen) }],
    log: pino({ level: 'silent' }),
    idempotency: undefined as unknown as Idempotency,
  });
const server = open();
let url = '';
beforeAll(async () => {
  url = await server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => server.drain(0));
beforeEach(async () => {
  memory = () => TEXT;
  for (const key of ['a', 'b']) admit(key, () => scopeOf(key));
  await read();
  asked = 0;
  observed.length = 0;
});

const admit = (key: string, find: () => Scope | Promise<Scope>) => void scopes.set(`Bearer ${key}`, find);
function remember(text: (scope: Scope) => string | undefined): void {
  memory = text;
}

async function read({ path = PATH, method = 'GET', at = url, ...headers }: Record<string, string> = {}) {
  const response = await fetch(`${at}${path}`, { method, headers: { authorization: 'Bearer a', ...headers } });
  const shown = [...response.headers].filter(([name]) => !/^date$|-id$/.test(name));
  return { status: response.status, text: await response.text(), shown, headers: response.headers };
}

/** Sends the text of requests on a connection of its own, of which the last one ends it. */
async function send(...lines: string[]): Promise<string> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write([...lines, 'connection: close', '', ''].join('\r\n'));
  let received = '';
  for await (const chunk of socket) received += chunk;
  return received;
}
const host = () => `host: ${new URL(url).host}`;
const KEY = 'authorization: Bearer a';

it('an answer from memory is the answer of the route, which is not asked', async () => {
  memory = () => undefined;
  const usual = await read();
  memory = () => TEXT;
  asked = 0;
  const known = await read();
  expect(known).toMatchObject({ status: 200, text: TEXT, shown: usual.shown });
  expect(known.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  expect(known.headers.get('mistral-correlation-id')).toBe(known.headers.get('x-request-id'));
  expect((await read({ 'x-request-id': 'mine' })).headers.get('x-request-id')).toBe('mine');
  expect(asked).toBe(0);
});

it('is seen by observers, as the answer of its route', async () => {
  await read({ 'x-request-id': 'mine' });
  await expect.poll(() => observed.length).toBe(1);
  const [request, { statusCode }, pattern, elapsedMs] = observed[0] as Observed;
  const { id, method, url: seen, headers, protocol, ip, failure, scope } = request;
  expect({ id, method, seen, protocol, ip, failure, key: scope?.key_id }).toEqual({
    id: 'mine',
    method: 'GET',
    seen: PATH,
    protocol: 'http',
    ip: '127.0.0.1',
    failure: null,
    key: 'a',
  });
  expect([headers.host, request.host]).toEqual([new URL(url).host, new URL(url).host]);
  expect([begun.at(-1), statusCode, pattern, elapsedMs > 0]).toEqual(['mine', 200, '/things/:name', true]);
  expect(asked).toBe(0);
});

it('is what its own caller may read', async () => {
  memory = ({ key_id }) => JSON.stringify({ key_id });
  const texts = [];
  for (const authorization of ['Bearer a', 'Bearer b']) texts.push((await read({ authorization })).text);
  expect([texts, asked]).toEqual([['{"key_id":"a"}', '{"key_id":"b"}'], 0]);
});

it.each([
  ['an unknown key', () => scopes.delete('Bearer a'), 401],
  ['a key without the permission', () => admit('a', () => scopeOf('a', { permissions: new Set() })), 403],
  ['a key that may do nothing for now', () => admit('a', () => scopeOf('a', { refusal: 'Later.' })), 403],
  ['a key that cannot be looked up', () => admit('a', () => Promise.reject(requestErrors.server_stopping())), 503],
])('a known address with %s is refused', async (_what, change, status) => {
  change();
  expect([(await read()).status, asked]).toEqual([status, 0]);
});

it.each([
  ['another host', () => ['host: evil.example', KEY], '403'],
  ['two hosts', () => [host(), 'host: evil.example', KEY], '400'],
  ['two keys', () => [host(), KEY, 'authorization: Bearer b'], '400'],
])('a known address with %s is refused, too', async (_what, headers, status) => {
  expect((await send(`GET ${PATH} HTTP/1.1`, ...headers())).slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
  expect(asked).toBe(0);
});

it('a client that has the answer gets 304', async () => {
  const { status, text, headers } = await read({ 'if-none-match': '"tag"' });
  expect([status, text, headers.get('etag')]).toEqual([304, '', '"tag"']);
  expect((await read({ 'if-none-match': '"other"' })).text).toBe(TEXT);
});

it.each([
  ['another address', { path: '/things/one?of=all' }],
  ['a key that is looked up first', {}, () => admit('a', () => Promise.resolve(scopeOf('a')))],
  ['what is no longer in memory', {}, () => remember(() => undefined)],
  ['what is too long for one write', {}, () => remember(() => JSON.stringify('ä'.repeat(600_000)))],
  ['a request with a cookie', { cookie: 'a=b' }],
  ['a request of a page', { origin: 'http://localhost' }],
  ['a request of a page whose browser names no origin', { 'sec-fetch-site': 'same-origin' }],
] as [string, Record<string, string>, (() => unknown)?][])(
  '%s is read by its route',
  async (_what, request, change) => {
    change?.();
    const { status, text } = await read(request);
    expect([status, text, asked]).toEqual([200, memory(scopeOf('a')) ?? TEXT, 1]);
  },
);

it('a route that fails where it looks into its memory answers with its error', async () => {
  memory = () => {
    throw requestErrors.host_conflict();
  };
  expect([(await read()).status, asked]).toEqual([400, 1]);
});

it('HEAD has the headers alone, and other methods are refused', async () => {
  const { status, text, headers } = await read({ method: 'HEAD' });
  expect([status, text, headers.get('content-length'), headers.get('etag')]).toEqual([200, '', '13', '"tag"']);
  expect((await read({ method: 'DELETE' })).status).toBe(405);
});

it('a request with mistakes is refused however often it comes', async () => {
  for (let i = 0; i < 3; i++) expect((await read({ path: '/things/one?of=nobody' })).status).toBe(422);
  expect(asked).toBe(0);
});

it.each([
  ['content-length: 5', 'body.'],
  ['transfer-encoding: chunked', '5\r\nbody.\r\n0\r\n\r\n'],
])('a body that comes with it does not become the next request (%s)', async (header, body) => {
  const answers = await send(
    `GET ${PATH} HTTP/1.1\r\n${host()}\r\n${KEY}\r\n${header}\r\n`,
    `${body}GET ${PATH} HTTP/1.1`,
    host(),
    KEY,
  );
  expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  // A body has a time limit, which is for its route.
  expect(asked).toBeGreaterThan(0);
});

it('waits for the answers before it on its connection', async () => {
  const answers = await send(
    `GET /things/late HTTP/1.1\r\n${host()}\r\n${KEY}\r\n`,
    `GET ${PATH} HTTP/1.1\r\n${host()}\r\n${KEY}\r\n`,
    `GET ${PATH} HTTP/1.1`,
    host(),
    KEY,
  );
  expect(answers.match(/\{"name":"[^"]*"\}/g)).toEqual(['{"name":"late"}', TEXT, TEXT]);
  expect(asked).toBe(3);
});

it('takes its turn where a round of the event loop has been used', async () => {
  server.app.server.prependOnceListener('request', useRound);
  expect([(await read()).text, asked]).toEqual([TEXT, 1]);
});

function useRound(): void {
  isRoundUsed();
  const until = performance.now() + ROUND_MS;
  while (performance.now() < until);
}

it('behind a proxy each read goes through its route, which knows who called', async () => {
  const behind = open(['127.0.0.1']);
  const at = await behind.listen({ host: '127.0.0.1', port: 0 });
  for (let i = 0; i < 3; i++) await read({ at, 'x-forwarded-for': '192.0.2.1' });
  expect([asked, observed.map(([request]) => request.ip)]).toEqual([3, ['192.0.2.1', '192.0.2.1', '192.0.2.1']]);
  await behind.drain(0);
});

it('a server that stops refuses it', async () => {
  const stopping = open();
  const at = await stopping.listen({ host: '127.0.0.1', port: 0 });
  await read({ at });
  const late = read({ at, path: '/things/late' });
  await nextRound();
  await expect.poll(() => asked).toBe(2);
  const drained = stopping.drain(1000);
  const { status, headers } = await read({ at });
  expect([status, headers.get('connection'), asked]).toEqual([503, 'close', 2]);
  await Promise.all([late, drained]);
});
