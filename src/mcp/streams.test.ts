import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { ACCEPT } from '../../test/support/mcp.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { connect, type Era, eras } from './connect-for-tests.ts';

onSqliteFirst('the streams of the tool server', (database) => {
  let server: TestServer;
  let other: TestServer;
  beforeAll(async () => {
    server = await startTestServer(database);
    other = await startTestServer(database);
  });

  it('end when the key is revoked, and say why [MCP-401-REVOKED]', async () => {
    const { id, value } = await server.platform.tenants.keys.create({ kind: 'standard' });
    const response = await fetch(`${server.url}/mcp`, {
      headers: { accept: ACCEPT, authorization: `Bearer ${value}` },
    });
    expect(response.status).toBe(200);
    await server.platform.tenants.keys.revoke(id);
    expect(await response.text()).toMatch(/^event: error\ndata: {[^\n]*its API key was revoked[^\n]*}\n\n$/);
    expect(await openStreams(server)).toBe(0);
  });

  describe.each(eras)('for a client of %s', (era) => {
    it('tell of a change that another process made [MCP-LIST-CHANGED]', async () => {
      const received: string[] = [];
      const listChanged = {
        tools: { autoRefresh: false, onChanged: () => received.push('tools') },
        prompts: { autoRefresh: false, onChanged: () => received.push('prompts') },
        resources: { autoRefresh: false, onChanged: () => received.push('resources') },
      };
      const { client } = await connect(server, era, listChanged as never);
      await vi.waitFor(async () => expect(await openStreams(server)).toBe(1));
      await call(other, '/v2/skills', {
        key: server.key,
        body: { name: `new-${era}`, definition: { description: 'x' } },
      });
      await vi.waitFor(() => expect(received).toEqual(['resources']), { timeout: 20_000 });
      await call(other, '/v2/prompts', { key: server.key, body: { name: `new-${era}`, definition: { content: 'x' } } });
      await vi.waitFor(() => expect(received).toEqual(['resources', 'prompts']), { timeout: 20_000 });
      await client.close();
      await vi.waitFor(async () => expect(await openStreams(server)).toBe(0));
    });
  });

  it('tell of other tools when the user of the key may do something else [MCP-LIST-CHANGED]', async () => {
    const key = await addColleague(server, 'workflow_executor');
    const received: string[] = [];
    const listChanged = { tools: { autoRefresh: false, onChanged: () => received.push('tools') } };
    const { client } = await connect({ url: server.url, key }, '2026-07-28', listChanged as never);
    expect((await client.listTools()).tools).toHaveLength(7);
    await promote(server, key);
    await vi.waitFor(() => expect(received).toEqual(['tools']), { timeout: 20_000 });
    expect((await client.listTools()).tools).toHaveLength(12);
    await client.close();
    await vi.waitFor(async () => expect(await openStreams(server)).toBe(0));
  });

  it('say nothing to another workspace [MCP-KEY-ACCESS]', async () => {
    const key = await addStranger(server);
    const response = await fetch(`${server.url}/mcp`, { headers: { accept: ACCEPT, authorization: `Bearer ${key}` } });
    await call(server, '/v2/skills', { body: { name: 'unheard', definition: { description: 'x' } } });
    await call(server, '/v2/skills', { key, body: { name: 'heard', definition: { description: 'x' } } });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const { value = '' } = (await reader?.read()) ?? {};
    expect(value.match(/list_changed/g)).toHaveLength(1);
    await reader?.cancel();
    await vi.waitFor(async () => expect(await openStreams(server)).toBe(0));
  });

  it.each(eras)('leave nothing behind when 200 clients of %s vanish [MCP-VANISH]', async (era) => {
    const aborts = Array.from({ length: 200 }, () => new AbortController());
    // Referenced to the end: fetch closes the stream of a response that is garbage-collected unread.
    const responses = await Promise.all(
      aborts.map(({ signal }) => fetch(`${server.url}/mcp`, { ...listening(era, server.key), signal })),
    );
    await vi.waitFor(async () => expect(await openStreams(server)).toBe(200), { timeout: 20_000 });
    // The end of a stream must not depend on a weakly held object.
    collectGarbage();
    for (const abort of aborts) abort.abort();
    await vi.waitFor(async () => expect(await openStreams(server)).toBe(0), { timeout: 20_000 });
    expect(responses.map(({ status }) => status)).toEqual(Array(200).fill(200));
  });
});

async function openStreams(server: TestServer): Promise<number> {
  const { text } = await call(server, '/metrics');
  return Number(/^mcp_open_streams (\d+)$/m.exec(text)?.[1]);
}

/** Makes the user of the key an administrator of its workspace. */
async function promote({ platform }: TestServer, key: string): Promise<void> {
  const hash = createHash('sha256').update(key).digest('hex');
  await platform.database.transaction(async (tx) => {
    const { user_id } = await tx
      .selectFrom('api_keys')
      .select('user_id')
      .where('hash', '=', hash)
      .executeTakeFirstOrThrow();
    await tx.updateTable('workspace_members').set({ role: 'workspace_admin' }).where('user_id', '=', user_id).execute();
    await platform.keysSignal.raise(tx);
  });
}

/** How a client of the revision subscribes to changes. */
function listening(era: Era, key: string): RequestInit {
  const headers = { accept: ACCEPT, authorization: `Bearer ${key}` };
  if (era === '2025-11-25') return { headers };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': era,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  };
  const params = { _meta, notifications: { resourcesListChanged: true } };
  return {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      'mcp-protocol-version': era,
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }),
  };
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
