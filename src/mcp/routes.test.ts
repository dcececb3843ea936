import { request as httpRequest } from 'node:http';
import { McpServer } from '@modelcontextprotocol/server';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { ACCEPT, post, request } from '../../test/support/mcp.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(sqliteForTests());
});

/** Of one request, or of how its body is sent. */
const OWN_HEADERS = new Set([
  ...['date', 'x-request-id', 'mistral-correlation-id', 'content-length', 'transfer-encoding', 'traceparent'],
]);
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
};

describe('200', () => {
  it('a request is answered in a stream of events that ends with the reply [MCP-POST] [MCP-SSE] [MCP-BEARER]', async () => {
    const answer = await request(server, 'ping');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers.get('x-request-id')).toBe(answer.headers.get('mistral-correlation-id'));
    expect(answer.text).toBe('event: message\ndata: {"result":{},"jsonrpc":"2.0","id":1}\n\n');
  });

  it.each(['2025-06-18', '2025-11-25'])(
    'a client of %s is met in its own revision, without a session [MCP-ERAS]',
    async (protocolVersion) => {
      const { rpc, headers } = await request(server, 'initialize', { ...INITIALIZE, protocolVersion });
      expect(rpc?.result).toMatchObject({
        protocolVersion,
        serverInfo: { name: 'tramontane' },
        capabilities: { tools: { listChanged: true } },
        instructions: expect.stringContaining('list_skills'),
      });
      expect(headers.get('mcp-session-id')).toBeNull();
      const listed = await request(server, 'tools/list', undefined, {
        headers: { 'mcp-protocol-version': protocolVersion },
      });
      expect(listed.rpc?.result).toHaveProperty('tools');
    },
  );

  it('a client of 2026-07-28 asks without any handshake, and is answered in a stream too [MCP-ERAS]', async () => {
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' };
    const answer = await request(server, 'server/discover', { _meta: ENVELOPE }, { headers });
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.rpc?.result).toMatchObject({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
  });

  it.each([undefined, '2025-06-18', '2025-11-25'])(
    'a plain list of tools (%s) is the one that the library of the protocol renders, headers included',
    async (version) => {
      const options = { headers: version ? { 'mcp-protocol-version': version } : {} };
      const connected = vi.spyOn(McpServer.prototype, 'connect');
      onTestFinished(() => connected.mockRestore());
      const [plain, empty, judged] = [
        await request(server, 'tools/list', undefined, options),
        await request(server, 'tools/list', {}, options),
        await request(server, 'tools/list', { _meta: {} }, options),
      ];
      // A server object for each of them is what a list cost most.
      expect(connected).toHaveBeenCalledTimes(1);
      const headersOf = ({ headers }: typeof plain) =>
        Object.fromEntries([...headers].filter(([name]) => !OWN_HEADERS.has(name)));
      for (const one of [plain, empty]) {
        expect([one.status, one.text]).toEqual([judged.status, judged.text]);
        expect(headersOf(one)).toEqual(headersOf(judged));
      }
      expect(plain.rpc?.result?.tools).toContainEqual(expect.objectContaining({ name: 'list_skills' }));
    },
  );

  it.each<[string, Record<string, unknown>, Record<string, string>, number]>([
    ['a cursor that is no text', { params: { cursor: 1 } }, {}, 200],
    ['another field', { extra: 1 }, {}, 400],
    ['a number that is none', { id: 1.5 }, {}, 400],
    ['an unknown revision', {}, { 'mcp-protocol-version': '2031-01-01' }, 400],
  ])('a list with %s is judged by the library', async (_what, fields, headers, status) => {
    const answer = await post(server, { jsonrpc: '2.0', id: 1, method: 'tools/list', ...fields }, { headers });
    expect(answer.status).toBe(status);
    expect(answer.rpc?.error?.code).toBeLessThan(0);
  });

  it('an unknown method is the error -32601, a request without what it needs -32602 [MCP-RPC-ERRORS]', async () => {
    expect((await request(server, 'tools/forge')).rpc?.error?.code).toBe(-32601);
    expect((await request(server, 'tools/call', {})).rpc?.error?.code).toBe(-32602);
    expect((await request(server, 'tools/call', { name: 'no_such_tool' })).rpc?.error).toEqual({
      code: -32602,
      message: "There is no tool 'no_such_tool'.",
    });
  });
});

describe('202', () => {
  it('a notification is accepted and has no answer', async () => {
    const answer = await post(server, { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(answer).toMatchObject({ status: 202, text: '' });
  });
});

describe('400', () => {
  it.each([
    ['no JSON', '{"jsonrpc": "2.0", '],
    ['nothing', ''],
    ['a key twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'],
    ['too deep', `${'['.repeat(100)}${']'.repeat(100)}`],
    ['an object of 2,001 keys', `{${Array.from({ length: 2001 }, (_, i) => `"k${i}":0`).join()}}`],
  ])('a body that is %s is the error -32700 [MCP-RPC-ERRORS]', async (_what, raw) => {
    const answer = await call(server, '/mcp', { raw, headers: { accept: ACCEPT } });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } });
    expect(answer.text).not.toContain('hello');
  });

  it('JSON that is no message is the error -32600 [MCP-RPC-ERRORS]', async () => {
    for (const message of [{ hello: 'world' }, [], 'ping', null, 7]) {
      const answer = await post(server, message);
      expect([message, answer.status, answer.rpc?.error?.code]).toEqual([message, 400, -32600]);
    }
  });

  it('an answer that nobody waits for is refused', async () => {
    const answer = await post(server, { jsonrpc: '2.0', id: 'made-up', result: {} });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
  });

  it('a revision that nobody has heard of is refused', async () => {
    const answer = await post(server, PING, { headers: { 'mcp-protocol-version': '2031-01-01' } });
    expect(answer.status).toBe(400);
  });
});

describe('401', () => {
  it('a missing or misspelled key, or one of another kind, gets the same words [MCP-401-MISSING] [MCP-401-MISSPELLED] [MCP-401-BODY]', async () => {
    const admin = await server.platform.tenants.keys.create({ kind: 'admin' });
    for (const key of ['', 'x', `${server.key}x`, server.key.toUpperCase(), admin.value]) {
      for (const method of ['POST', 'GET']) {
        const headers = { accept: ACCEPT, ...(key ? { authorization: `Bearer ${key}` } : {}) };
        const answer = await call(server, '/mcp', {
          method,
          key: '',
          headers,
          ...(method === 'POST' ? { body: PING } : {}),
        });
        expect([key, answer.status, answer.body]).toEqual([key, 401, { detail: 'Invalid API key' }]);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
    }
  });

  it('a revoked key is refused at once [MCP-401-REVOKED]', async () => {
    const { id, value } = await server.platform.tenants.keys.create({ kind: 'standard' });
    expect((await request(server, 'ping', undefined, { key: value })).status).toBe(200);
    await server.platform.tenants.keys.revoke(id);
    expect(await request(server, 'ping', undefined, { key: value })).toMatchObject({
      status: 401,
      body: { detail: 'Invalid API key' },
    });
  });
});

describe('403', () => {
  it.each(['https://evil.example', 'http://127.0.0.1.evil.example:4747', 'null'])(
    'a page of %s is refused, and so is a foreign host [MCP-ORIGIN]',
    async (origin) => {
      expect(await post(server, PING, { headers: { origin } })).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining('origin') },
      });
      expect(await statusFor(server, 'evil.example')).toBe(403);
    },
  );

  it('a page of this machine is let in [MCP-ORIGIN]', async () => {
    for (const origin of ['http://localhost:6274', 'http://127.0.0.1:4747', 'http://[::1]:3000']) {
      expect((await post(server, PING, { headers: { origin } })).status).toBe(200);
    }
  });
});

describe('405', () => {
  it('there are no sessions, so there is none to delete [MCP-NO-SESSIONS]', async () => {
    const answer = await call(server, '/mcp', { method: 'DELETE', headers: { 'mcp-session-id': 'any' } });
    expect(answer).toMatchObject({ status: 405, body: { detail: expect.stringContaining('GET, POST') } });
    expect(answer.headers.get('allow')).toBe('GET, POST');
  });
});

describe('406', () => {
  it.each(['', '*/*', 'application/json', 'text/event-stream', 'application/jsonp, text/event-stream'])(
    'a client that accepts "%s" could not read every reply [MCP-ACCEPT]',
    async (accept) => {
      expect(await post(server, PING, { headers: { accept } })).toMatchObject({
        status: 406,
        body: { detail: expect.stringContaining('text/event-stream') },
      });
    },
  );

  it('to listen, a stream must be accepted [MCP-ACCEPT]', async () => {
    expect((await call(server, '/mcp', { headers: { accept: 'application/json' } })).status).toBe(406);
  });
});

describe('413 and 415', () => {
  it('another media type, or a packed body, is refused [MCP-CONTENT-TYPE]', async () => {
    for (const headers of [{ 'content-type': 'text/plain' }, { 'content-encoding': 'gzip' }]) {
      expect(await post(server, PING, { headers })).toMatchObject({
        status: 415,
        body: { detail: expect.any(String) },
      });
    }
  });

  it('a body over the limit is refused', async () => {
    const message = { ...PING, params: { padding: 'x'.repeat(25 * 1024 * 1024) } };
    expect((await post(server, message)).status).toBe(413);
  });
});

describe('422', () => {
  it('a query is refused: nothing is read from it', async () => {
    const answer = await call(server, '/mcp?key=1', { body: PING, headers: { accept: ACCEPT } });
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'extra_forbidden', loc: ['query', 'key'] }] },
    });
  });
});

// fetch() cannot set the Host header.
function statusFor({ url, key }: TestServer, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { host, accept: ACCEPT, authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    httpRequest(`${url}/mcp`, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once('error', reject)
      .end(JSON.stringify(PING));
  });
}
