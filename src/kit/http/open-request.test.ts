import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Idempotency } from './idempotency.ts';
import { raw } from './raw-reply.ts';
import { requestErrors } from './request-errors.ts';
import { type AnyRoute, route } from './route.ts';
import type { OpenWork, Scope } from './scope.ts';
import { createHttpServer } from './server.ts';
import { sse } from './sse.ts';

const open = new Set<OpenWork>();
const logged: string[] = [];
let changes = 0;
let scope: Scope | undefined;
const never = (_signal?: AbortSignal) => new Promise<never>(() => undefined);
const common = { operationId: 'x', summary: 'x', permission: 'a:read' };

async function* endless(): AsyncGenerator<{ data: string }> {
  yield { data: 'first' };
  await never();
}

async function* bytes(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(1000);
  await never();
}

// Only one of them looks at its signal once it has it.
const routes: AnyRoute[] = [
  route({ ...common, method: 'GET', path: '/stream', handler: () => sse(endless()) }),
  route({ ...common, method: 'GET', path: '/file', handler: () => raw(bytes(), 'text/plain') }),
  route({
    ...common,
    method: 'GET',
    path: '/heed',
    response: z.string(),
    handler: ({ signal }) =>
      new Promise<string>((_, refuse) => signal.addEventListener('abort', () => refuse(signal.reason))),
  }),
  route({ ...common, method: 'GET', path: '/wait', response: z.string(), handler: ({ signal }) => never(signal) }),
  route({
    ...common,
    method: 'POST',
    path: '/body',
    body: z.strictObject({}),
    response: z.string(),
    handler: () => 'done',
  }),
];

const { app, drain } = createHttpServer({
  routes,
  authenticate: () => scope,
  access: {
    changes: () => changes,
    open: (work) => void open.add(work),
    close: (work) => void open.delete(work),
  },
  log: pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) }),
  idempotency: undefined as unknown as Idempotency,
});
let url = '';
beforeAll(async () => {
  scope = { principal: 'p', permissions: new Set(['a:read']) } as unknown as Scope;
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => drain(0));

async function endAll(): Promise<void> {
  await expect.poll(() => open.size).toBe(1);
  for (const work of open) work.end(requestErrors.access_lost('its key is gone'));
}

it('a stream that lost its access ends with an event that says why', async () => {
  const response = await fetch(`${url}/stream`);
  await endAll();
  const text = await response.text();
  expect(text).toMatch(/^data: first\n\nevent: error\ndata: {/);
  expect(JSON.parse(text.split('data: ').at(-1) ?? '')).toMatchObject({
    message: 'This ended because its key is gone.',
    code: 'access_lost',
  });
  await expect.poll(() => open.size).toBe(0);
});

it('a request that lost its access is answered at once, even if its handler goes on', async () => {
  const answered = fetch(`${url}/wait`);
  await endAll();
  expect((await answered).status).toBe(401);
  await expect.poll(() => open.size).toBe(0);
});

it('a download that lost its access is cut off', async () => {
  const response = await fetch(`${url}/file`);
  await endAll();
  await expect(response.arrayBuffer()).rejects.toThrow();
  await expect.poll(() => open.size).toBe(0);
});

it('a request whose key was revoked while its body arrived has no effect', async () => {
  const { promise: revoked, resolve } = Promise.withResolvers<void>();
  async function* body() {
    yield Buffer.from('{');
    await revoked;
    yield Buffer.from('}');
  }
  const before = scope;
  const answered = fetch(`${url}/body`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: body() as unknown as ReadableStream,
    duplex: 'half',
  } as RequestInit);
  const arrived = new Promise<void>((resolveArrival) => {
    app.server.once('request', () => setImmediate(resolveArrival));
  });
  await arrived;
  changes++;
  scope = undefined;
  resolve();
  expect((await answered).status).toBe(401);
  scope = before;
  const again = await fetch(`${url}/body`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(again.status).toBe(200);
});

it('a client that leaves before its response is no error in the log', async () => {
  const gone = new AbortController();
  const left = fetch(`${url}/heed`, { signal: gone.signal });
  await expect.poll(() => open.size).toBe(1);
  gone.abort();
  await expect(left).rejects.toThrow();
  await expect.poll(() => logged.join('')).toContain('The client left');
  expect(logged.join('')).not.toContain('"level":50');
});
