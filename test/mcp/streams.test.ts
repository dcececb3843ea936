import { beforeAll, describe, expect, it, vi } from 'vitest';
import { call } from '../support/call.ts';
import { onEachDatabase } from '../support/databases.ts';
import { ACCEPT } from '../support/mcp.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { connect, eras } from './connect.ts';

onEachDatabase('the streams of the tool server', (database) => {
  let server: TestServer;
  let other: TestServer;
  beforeAll(async () => {
    server = await startTestServer(database);
    other = await startTestServer(database);
  });

  describe.each(eras)('for a client of %s', (era) => {
    it('tell of a change that another process made [MCP-LIST-CHANGED]', async () => {
      const heard: string[] = [];
      const listChanged = {
        tools: { autoRefresh: false, onChanged: () => heard.push('tools') },
        prompts: { autoRefresh: false, onChanged: () => heard.push('prompts') },
        resources: { autoRefresh: false, onChanged: () => heard.push('resources') },
      };
      const { client } = await connect(server, era, listChanged as never);
      await vi.waitFor(async () => expect(await openStreams(server)).toBe(1));
      await recordSkill(other);
      await vi.waitFor(() => expect(heard).toEqual(['resources']), { timeout: 5000 });
      await client.close();
      await vi.waitFor(async () => expect(await openStreams(server)).toBe(0));
    });
  });

  it('end when the key is revoked [MCP-401-REVOKED]', async () => {
    const { id, value } = await server.platform.tenants.keys.create({ kind: 'standard' });
    const response = await fetch(`${server.url}/mcp`, {
      headers: { accept: ACCEPT, authorization: `Bearer ${value}` },
    });
    expect(response.status).toBe(200);
    await server.platform.tenants.keys.revoke(id);
    expect(await response.text()).toBe('');
    expect(await openStreams(server)).toBe(0);
  });

  it('leave nothing behind when 200 clients vanish [MCP-VANISH]', async () => {
    const aborts = Array.from({ length: 200 }, () => new AbortController());
    await Promise.all(
      aborts.map(async ({ signal }) => {
        const headers = { accept: ACCEPT, authorization: `Bearer ${server.key}` };
        const response = await fetch(`${server.url}/mcp`, { headers, signal });
        expect(response.status).toBe(200);
      }),
    );
    expect(await openStreams(server)).toBe(200);
    for (const abort of aborts) abort.abort();
    await vi.waitFor(async () => expect(await openStreams(server)).toBe(0));
  });
});

async function openStreams(server: TestServer): Promise<number> {
  const { text } = await call(server, '/metrics');
  return Number(/^mcp_open_streams (\d+)$/m.exec(text)?.[1]);
}

async function recordSkill({ platform }: TestServer): Promise<void> {
  const { database, audit } = platform;
  const workspace = await database.db.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow();
  await database.transaction((tx) =>
    audit.record(tx, {
      organization_id: workspace.organization_id,
      workspace_id: workspace.id,
      actor: { type: 'OTHER', metadata: {} },
      event_type: 'skill.create',
      target_type: 'SKILL',
    }),
  );
}
