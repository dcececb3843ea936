import { describe, expect, it } from 'vitest';
import { atEnd } from '../../test/support/cleanup.ts';
import { type FakeMcp, startFakeMcp } from '../../test/support/mcp-server.ts';
import { createLog } from '../kit/base/log.ts';
import { createOutbound } from '../kit/outbound/index.ts';
import { type ConnectorConfig, createConnectionService } from './index.ts';

const WORKSPACE = '0198c0de-0000-7000-8000-000000000001';
const here = { organization_id: 'o', workspace_id: WORKSPACE, user_id: 'u' };
const there = { ...here, workspace_id: '0198c0de-0000-7000-8000-000000000002' };
const signal = new AbortController().signal;

/** The service on one fake server, its clock in the test's hands. */
function serve(fake: FakeMcp, given: Partial<ConnectorConfig> = {}, allow = [fake.place]) {
  const lines: string[] = [];
  const clock = { now: 1_000_000 };
  const outbound = createOutbound({ allow });
  atEnd(() => outbound.close());
  const wiki = {
    id: 'wiki',
    url: fake.url,
    headers: {},
    api_key_header: 'authorization',
    timeout_seconds: 5,
    result_limit_kib: 1,
  };
  const service = createConnectionService({
    connectors: [{ ...wiki, ...given }],
    outbound,
    version: '1.0.0',
    now: () => clock.now,
    log: createLog('trace', { write: (line: string) => void lines.push(line) }),
  });
  return { service, lines, clock };
}
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable(),
    (error) => error,
  );
const counted = ({ seen }: FakeMcp, method: string) => seen.filter((one) => one.method === method).length;

describe('the list of tools', () => {
  it('is asked for once a minute, however many want it, and anew after that', async () => {
    const fake = await startFakeMcp();
    const { service, clock } = serve(fake);
    await Promise.all([service.connect(here, 'wiki'), service.connect(here, 'wiki')]);
    expect(counted(fake, 'tools/list')).toBe(1);
    clock.now += 59_000;
    await service.connect(here, 'wiki');
    expect(counted(fake, 'tools/list')).toBe(1);
    fake.tools = [{ name: 'other' }];
    clock.now += 2000;
    expect((await service.connect(here, 'wiki')).tools.map(({ name }) => name)).toEqual(['other']);
    expect(fake.sessions.size).toBe(0);
  });

  it.each([
    [0, 0, 2],
    [5000, 4999, 1],
    [5000, 5000, 2],
    [24 * 3_600_000, 3_599_999, 1],
    [24 * 3_600_000, 3_600_000, 2],
  ])('holds for the %d ms that the server says, an hour at most: after %d ms', async (ttlMs, laterMs, times) => {
    const fake = await startFakeMcp();
    fake.ttlMs = ttlMs;
    const { service, clock } = serve(fake);
    await service.connect(here, 'wiki');
    clock.now += laterMs;
    await service.connect(here, 'wiki');
    expect(counted(fake, 'tools/list')).toBe(times);
  });

  it('is asked for anew after a call that failed', async () => {
    const fake = await startFakeMcp();
    const { service } = serve(fake);
    const connection = await service.connect(here, 'wiki');
    fake.instead = (_request, response, message) =>
      message?.method === 'tools/call' &&
      !!response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32602, message: 'Unknown tool' } }));
    expect(await failure(connection.call('echo', {}, signal))).toMatchObject({
      status: 502,
      message: expect.stringContaining("The connector 'wiki' answered with an error: "),
    });
    fake.tools = [];
    expect((await service.connect(here, 'wiki')).tools).toEqual([]);
  });

  it('is kept apart for each client that brings credentials of its own', async () => {
    const fake = await startFakeMcp();
    const { service } = serve(fake, { headers: { authorization: 'Bearer operator' }, api_key_header: 'X-API-Key' });
    await service.connect(here, 'wiki');
    await service.connect(here, 'wiki', { authorization: { type: 'oauth2-token', value: 'mine' } });
    await service.connect(here, 'wiki', { authorization: { type: 'api-key', value: 'key' } });
    const sent = fake.seen.filter(({ method }) => method === 'tools/list').map(({ headers }) => headers);
    expect(sent.map(({ authorization }) => authorization)).toEqual(['Bearer operator', 'Bearer mine', undefined]);
    expect(sent.map((headers) => headers['x-api-key'])).toEqual([undefined, undefined, 'key']);
  });

  it.each([
    ['too many tools', Array.from({ length: 600 }, (_, n) => ({ name: `t${n}` })), /lists 600 tools/],
    [
      'schemas without end',
      [{ name: 'a', inputSchema: { type: 'object', x: 'y'.repeat(3 << 20) } }],
      /too great a length/,
    ],
  ])('with %s is refused', async (_what, tools, message) => {
    const fake = await startFakeMcp(tools);
    expect(await failure(serve(fake).service.connect(here, 'wiki'))).toMatchObject({
      status: 502,
      message: expect.stringMatching(message),
    });
  });

  it('has each name once, and what a database cannot keep is replaced', async () => {
    const fake = await startFakeMcp([{ name: 'a', description: 'x\u0000y' }, { name: 'a' }, { name: '' }]);
    const { tools } = await serve(fake).service.connect(here, 'wiki');
    expect(tools).toMatchObject([{ name: 'a', description: 'x\ufffdy' }]);
  });
});

describe('a call', () => {
  it('has a session of its own for its run, and leaves it at the end', async () => {
    const fake = await startFakeMcp();
    const { service } = serve(fake);
    const [one, other] = [await service.connect(here, 'wiki'), await service.connect(here, 'wiki')];
    expect(fake.sessions.size).toBe(0);
    await one.call('echo', { text: 'a' }, signal);
    await one.call('echo', { text: 'b' }, signal);
    expect(fake.sessions.size).toBe(1);
    await other.call('echo', { text: 'c' }, signal);
    expect(fake.sessions.size).toBe(2);
    await Promise.all([one.close(), other.close()]);
    expect(fake.sessions.size).toBe(0);
  });

  it('is answered whole or as a stream of events', async () => {
    const fake = await startFakeMcp();
    fake.streams = true;
    const connection = await serve(fake).service.connect(here, 'wiki');
    const { parts } = await connection.call('echo', { text: 'a' }, signal);
    expect(parts).toEqual([{ type: 'text', text: 'You said a' }]);
    await connection.close();
  });

  it('goes on in a new session when the server has forgotten the old one', async () => {
    const fake = await startFakeMcp();
    const connection = await serve(fake).service.connect(here, 'wiki');
    await connection.call('echo', { text: 'a' }, signal);
    fake.sessions.clear();
    const { parts } = await connection.call('echo', { text: 'b' }, signal);
    expect(parts).toEqual([{ type: 'text', text: 'You said b' }]);
    expect(fake.calls).toHaveLength(2);
    await connection.close();
  });

  it('brings text within its limit, links, files and what is for programs', async () => {
    const fake = await startFakeMcp();
    fake.answer = () => ({
      content: [
        { type: 'text', text: 'a'.repeat(1000) },
        { type: 'text', text: 'b\u0000'.repeat(500) },
        { type: 'text', text: 'never' },
        { type: 'image', data: Buffer.from('png').toString('base64'), mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'x://1', blob: Buffer.from('raw').toString('base64') } },
        { type: 'resource_link', uri: 'https://example.com/page', name: 'page', description: 'A page' },
        { type: 'resource_link', uri: 'file:///etc/passwd', name: 'no page' },
      ],
      structuredContent: { rows: [1, 2] },
    });
    const connection = await serve(fake).service.connect(here, 'wiki');
    const { parts, structured, isError } = await connection.call('echo', {}, signal);
    expect(parts).toEqual([
      { type: 'text', text: 'a'.repeat(1000) },
      { type: 'text', text: `${'b\ufffd'.repeat(12)}\n[the rest was cut off]` },
      { type: 'file', name: 'image_0.png', mimetype: 'image/png', bytes: Buffer.from('png') },
      { type: 'file', name: 'file_1.bin', mimetype: 'application/octet-stream', bytes: Buffer.from('raw') },
      { type: 'link', url: 'https://example.com/page', title: 'page', description: 'A page' },
    ]);
    expect(structured).toEqual({ rows: [1, 2] });
    expect(isError).toBe(false);
    await connection.close();
  });

  it('ends at its time limit, and at once when its run ends', async () => {
    const fake = await startFakeMcp();
    fake.answer = () => new Promise(() => undefined);
    const slow = await serve(fake, { timeout_seconds: 1 }).service.connect(here, 'wiki');
    expect(await failure(slow.call('echo', {}, signal))).toMatchObject({
      status: 504,
      message: "The connector 'wiki' did not answer within 1 s.",
    });
    const stopped = await serve(fake).service.connect(here, 'wiki');
    const stop = new AbortController();
    const ended = failure(stopped.call('echo', {}, stop.signal));
    await expect.poll(() => fake.calls.length, { timeout: 10_000 }).toBe(2);
    stop.abort(new Error('the run ended'));
    expect(await ended).toMatchObject({ message: 'the run ended' });
  });
});

describe('a connector that cannot be used', () => {
  it('is told in a sentence without its address, is logged without its secrets, and is left alone for a while', async () => {
    const fake = await startFakeMcp();
    await fake.close();
    const { service, lines, clock } = serve(fake, { headers: { 'x-secret': 'hunter2' } });
    const error = await failure(service.connect(here, 'wiki'));
    expect(error).toMatchObject({ status: 502, message: "The connector 'wiki' could not be reached." });
    await failure(service.connect(here, 'wiki'));
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toContain('hunter2');
    clock.now += 5001;
    await failure(service.connect(here, 'wiki'));
    expect(lines).toHaveLength(2);
  });

  it('is waited for no longer than its time, also for its list', async () => {
    const fake = await startFakeMcp();
    fake.instead = () => true;
    expect(await failure(serve(fake, { timeout_seconds: 0.2 }).service.connect(here, 'wiki'))).toMatchObject({
      status: 504,
      message: "The connector 'wiki' did not answer within 0.2 s.",
    });
  });

  it.each([
    [401, "The connector 'wiki' refused our credentials (401)."],
    [500, "The connector 'wiki' answered 500."],
  ])('says so: %s', async (status, message) => {
    const fake = await startFakeMcp();
    fake.instead = (_request, response) => !!response.writeHead(status).end('<html>secret page</html>');
    expect(await failure(serve(fake).service.connect(here, 'wiki'))).toMatchObject({ status: 502, message });
  });

  it.each(['http://169.254.169.254/mcp', 'http://localhost:1/mcp', 'https://example.com/mcp'])(
    'is not followed to %s, another origin',
    async (location) => {
      const fake = await startFakeMcp();
      fake.instead = (_request, response) => !!response.writeHead(307, { location }).end();
      expect(await failure(serve(fake).service.connect(here, 'wiki'))).toMatchObject({
        status: 502,
        message: "The connector 'wiki' redirects to another address, which is not followed.",
      });
    },
  );

  it('is followed within its origin', async () => {
    const fake = await startFakeMcp();
    fake.instead = (request, response) =>
      request.url === '/mcp' && !!response.writeHead(307, { location: '/mcp/' }).end();
    expect((await serve(fake).service.connect(here, 'wiki')).tools).toHaveLength(1);
  });

  it('is refused by the address guard when nobody opened its host', async () => {
    const fake = await startFakeMcp();
    expect(await failure(serve(fake, {}, []).service.connect(here, 'wiki'))).toMatchObject({
      status: 502,
      message: "The connector 'wiki' is at an address that is not allowed.",
    });
    expect(fake.seen).toEqual([]);
  });

  it('takes no more than its limit of bytes, and no credentials that fit no header', async () => {
    const fake = await startFakeMcp();
    const { service } = serve(fake);
    expect(
      await failure(service.connect(here, 'wiki', { authorization: { type: 'api-key', value: 'a\nb' } })),
    ).toMatchObject({
      status: 400,
    });
    fake.instead = (_request, response) =>
      !!response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(1 << 30) }).write('{');
    expect(await failure(service.connect(here, 'wiki'))).toMatchObject({
      status: 502,
      message: "The connector 'wiki' answered with more than this server takes.",
    });
  });
});

describe('a connector that the workspace does not have', () => {
  it('looks the same whether it is not declared or is for others', async () => {
    const fake = await startFakeMcp();
    const { service } = serve(fake, { workspaces: [WORKSPACE] });
    await service.connect(here, 'wiki');
    expect(await failure(service.connect(there, 'wiki'))).toMatchObject({
      status: 400,
      message: "There is no connector 'wiki' on this server. There are none.",
    });
    expect(await failure(service.connect(here, 'mail'))).toMatchObject({
      status: 400,
      message: "There is no connector 'mail' on this server. There are: wiki.",
    });
  });
});

describe('credentials that a server repeats', () => {
  const url = (fake: FakeMcp) => `${fake.url}?key=in-the-address-0123`;
  const headers = { authorization: 'Basic of-the-operator-0123', 'x-wiki': 'own-header-0123' };
  const told = ({ seen }: FakeMcp) => `${JSON.stringify(seen.at(-1)?.headers)} in-the-address-0123`;
  const secret = /of-the-operator|own-header|in-the-address|of-the-client/;

  it('are in no result, also not in base64', async () => {
    const fake = await startFakeMcp();
    fake.answer = () => ({
      content: [{ type: 'text', text: `${told(fake)} ${Buffer.from(told(fake)).toString('base64')}` }],
      structuredContent: { told: told(fake) },
    });
    const { service } = serve(fake, { url: url(fake), headers, result_limit_kib: 64 });
    const result = await (await service.connect(here, 'wiki')).call('echo', {}, signal);
    const text = JSON.stringify(result);
    expect(text).toContain('[redacted]');
    expect(text).not.toMatch(secret);
    expect(text).not.toContain(Buffer.from('of-the-operator').toString('base64').slice(2, -3));
  });

  it('are in no error that a client reads and in no line of the log, be they the operator’s or the client’s', async () => {
    const fake = await startFakeMcp();
    const { service, lines } = serve(fake, { url: url(fake), headers });
    const own = { type: 'oauth2-token', value: 'of-the-client-0123' } as const;
    for (const authorization of [undefined, own]) {
      const connection = await service.connect(here, 'wiki', { authorization });
      fake.instead = (_request, response, message) => {
        const error = { code: -32000, message: told(fake) };
        response.writeHead(200, { 'content-type': 'application/json' });
        return Boolean(response.end(JSON.stringify({ jsonrpc: '2.0', id: message?.id, error })));
      };
      const called = await failure(connection.call('echo', {}, signal));
      expect(called.message).toContain('answered with an error');
      expect(`${called.message} ${called.cause}`).not.toMatch(secret);
      const { message } = await failure(service.inspect('wiki'));
      expect(message).not.toMatch(secret);
      fake.instead = undefined;
    }
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.join()).not.toMatch(secret);
  });
});
