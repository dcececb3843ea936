import { describe, expect, it } from 'vitest';
import { type FakeMcp, startFakeMcp } from '../../test/support/mcp-server.ts';
import { startOlderMcp } from '../../test/support/mcp-sse-server.ts';
import { createKeptSessions } from './keep-sessions.ts';
import type { Session } from './open-session.ts';
import { callOnce, failureOf, here, never, serveConnector } from './serve-for-tests.ts';

const counted = ({ seen }: FakeMcp, method: string) => seen.filter((one) => one.method === method).length;

async function serveFake() {
  const fake = await startFakeMcp();
  return { fake, ...serveConnector({ url: fake.url }, { allow: [fake.place] }) };
}

describe('a session that is kept', () => {
  it('serves the next calls of the same consumer without a handshake', async () => {
    const { fake, service } = await serveFake();
    for (const text of ['a', 'b', 'c'])
      expect(await callOnce(service, { arguments: { text } })).toBe(`You said ${text}`);
    // One for the list of tools, one for all calls.
    expect(counted(fake, 'initialize')).toBe(2);
    expect(fake.sessions.size).toBe(1);
    await service.close();
    expect(fake.sessions.size).toBe(0);
  });

  it.each([
    ['another user', { consumer: { ...here, user_id: 'v' } }],
    ['another workspace', { consumer: { ...here, workspace_id: '0198c0de-0000-7000-8000-000000000002' } }],
    ['another organization', { consumer: { ...here, organization_id: 'p' } }],
    ['another token', { token: 'another-token-of-the-user' }],
  ])('never serves %s', async (_whom, other) => {
    const { fake, service } = await serveFake();
    await callOnce(service, { token: 'the-token-of-the-user' });
    await callOnce(service, { token: 'the-token-of-the-user', ...other });
    const ids = fake.seen
      .filter(({ method }) => method === 'tools/call')
      .map(({ headers }) => headers['mcp-session-id']);
    expect(new Set(ids).size).toBe(2);
  });

  it('is used by one call at a time, and a run has one of its own', async () => {
    const { fake, service } = await serveFake();
    await Promise.all([callOnce(service), callOnce(service), callOnce(service)]);
    expect(fake.sessions.size).toBe(3);
    const run = await service.connect(here, 'wiki');
    await run.call('echo', { text: 'x' }, never);
    expect(fake.sessions.size).toBe(4);
    await run.close();
    expect(fake.sessions.size).toBe(3);
  });

  it('is closed after a minute without a call, and after a call that failed', async () => {
    const { fake, service, clock } = await serveFake();
    await callOnce(service);
    clock.now += 60_000;
    fake.ttlMs = 3_600_000;
    await callOnce(service);
    expect(counted(fake, 'DELETE')).toBe(3);
    fake.answer = () => Promise.reject(new Error('no answer'));
    fake.instead = (_request, response, message) => message?.method === 'tools/call' && !!response.writeHead(500).end();
    expect(await failureOf(callOnce(service))).toMatchObject({ status: 502 });
    expect(fake.sessions.size).toBe(0);
  });

  it.each([
    ['404', 404, 'no session'],
    ['400, as some servers do', 400, '{"error":{"message":"Bad Request: No valid session ID provided"}}'],
  ])('that its server forgot is replaced within the call: %s', async (_how, status, text) => {
    const { fake, service } = await serveFake();
    await callOnce(service);
    const [forgotten] = fake.sessions;
    fake.instead = (request, response) =>
      request.headers['mcp-session-id'] === forgotten && !!response.writeHead(status).end(text);
    expect(await callOnce(service, { arguments: { text: 'again' } })).toBe('You said again');
    expect(fake.calls.map((call) => call.arguments)).toEqual([{ text: 'salut' }, { text: 'again' }]);
  });

  it('is closed by a timer when nobody comes, and at most 128 are kept', async () => {
    const closed: number[] = [];
    const ended = Promise.withResolvers<void>();
    const kept = createKeptSessions(() => performance.now(), 5);
    const session = (number: number) =>
      ({
        isUsable: () => true,
        renew: () => undefined,
        close: async () => void (closed.push(number) === 130 && ended.resolve()),
      }) as unknown as Session;
    for (let number = 0; number < 130; number++) await kept.give(`key ${number}`, session(number));
    expect(closed.length).toBeGreaterThanOrEqual(2);
    expect(closed.slice(0, 2)).toEqual([0, 1]);
    await ended.promise;
    expect(kept.take('key 129')).toBeUndefined();
  });
});

describe('a server that knows only the older transport', () => {
  async function serveOlder(headers: Record<string, string> = {}) {
    const older = await startOlderMcp();
    return { older, ...serveConnector({ url: older.url, headers }, { allow: [older.place] }) };
  }

  it('is found, listed and called, and its stream serves several calls', async () => {
    const { older, service } = await serveOlder();
    expect(await callOnce(service)).toBe('You said salut');
    expect(await callOnce(service)).toBe('You said salut');
    expect(older).toMatchObject({ opened: 2, calls: 2 });
    await service.close();
  });

  it('that dropped its stream gets another one, and no call runs twice', async () => {
    const { older, service } = await serveOlder();
    await callOnce(service);
    const [stream] = older.streams.values();
    const gone = new Promise((resolve) => stream?.once('close', resolve));
    stream?.destroy();
    await gone;
    await expect.poll(() => callOnce(service).catch(() => 'failed'), { timeout: 20_000 }).toBe('You said salut');
    expect(older.calls).toBe(2);
  });

  it('gets the credentials on both of its addresses, and is told apart from one that refuses them', async () => {
    const { older, service } = await serveOlder({ authorization: 'Bearer the-token-of-the-operator' });
    older.token = 'the-token-of-the-operator';
    expect(await callOnce(service)).toBe('You said salut');
    older.token = 'another';
    expect(await failureOf(callOnce(service))).toMatchObject({ message: expect.stringContaining('credentials (401)') });
  });

  it('cannot send messages, and with them the credentials, to another server', async () => {
    const { older, service } = await serveOlder();
    const other = await startFakeMcp();
    older.endpoint = `${other.url}`;
    expect(await failureOf(callOnce(service))).toMatchObject({ status: 502 });
    expect(other.seen).toEqual([]);
  });
});
