import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { type FakeMcp, startFakeMcp } from '../../test/support/mcp-server.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';

type Use = { email: string; calls: number; failures: number; last_error: string | null };
type Uses = { checked_at: string | null; last_error: string | null; total: object; uses: Use[] };

onEachDatabase('uses of connectors', (database) => {
  let server: TestServer;
  let wiki: FakeMcp;
  let declared: FakeMcp;
  let colleague: string;
  let stranger: string;
  beforeAll(async () => {
    [wiki, declared] = [await startFakeMcp(), await startFakeMcp()];
    const connectors = [{ id: 'declared', url: declared.url }];
    server = await startTestServer(database, { file: { outbound: { allow: [wiki.place] }, connectors } });
    [colleague, stranger] = [await addColleague(server), await addStranger(server)];
  });

  const create = (name: string) =>
    call(server, '/v1/connectors', {
      body: { name, description: 'x', server: wiki.url, visibility: 'shared_workspace' },
    });
  const use = (name: string, key?: string) => call(server, `/v1/connectors/${name}/tools/echo/call`, { body: {}, key });
  const usesOf = async (name: string, key?: string) => {
    const { status, body } = await call(server, `/v1/connectors/${name}/uses`, { key });
    return { status, body: body as Uses };
  };

  it('200: an admin sees who called how often and what failed last, others see themselves', async () => {
    await create('wiki');
    expect(await usesOf('wiki')).toMatchObject({ body: { checked_at: null, total: { users: 0, calls: 0 }, uses: [] } });
    await use('wiki');
    await use('wiki', colleague);
    wiki.instead = (_request, response, message) => {
      if (message?.method === 'tools/call') response.writeHead(500).end('secret page of the server');
      return message?.method === 'tools/call';
    };
    expect((await use('wiki', colleague)).status).toBe(502);
    wiki.instead = undefined;
    const { body } = await usesOf('wiki');
    expect(body).toMatchObject({
      checked_at: expect.stringMatching(/^20/),
      last_error: null,
      total: { users: 2, calls: 3, failures: 1 },
    });
    expect(body.uses.map(({ calls, failures, last_error }) => [calls, failures, last_error])).toEqual([
      [2, 1, "The connector 'wiki' answered 500."],
      [1, 0, null],
    ]);
    expect(body.uses.every(({ email }) => email.includes('@'))).toBe(true);
    expect(JSON.stringify(body)).not.toContain('secret page');
    expect((await usesOf('wiki', colleague)).body).toMatchObject({
      total: { users: 1, calls: 2, failures: 1 },
      uses: [{ calls: 2 }],
    });
  });

  it('200: one that does not respond says why, and a connector of the configuration is counted for each organization', async () => {
    await create('down');
    wiki.instead = (_request, response) => {
      response.writeHead(503).end();
      return true;
    };
    await use('down');
    wiki.instead = undefined;
    expect((await usesOf('down')).body).toMatchObject({
      last_error: "The connector 'down' answered 503.",
      total: { calls: 1, failures: 1 },
    });
    // A server that wants other credentials responds.
    wiki.instead = (_request, response) => {
      response.writeHead(401).end();
      return true;
    };
    expect((await call(server, '/v1/connectors/down/tools?refresh=true')).status).toBe(403);
    wiki.instead = undefined;
    expect((await usesOf('down')).body).toMatchObject({ last_error: null, total: { failures: 2 } });
    await use('declared');
    await use('declared', stranger);
    expect((await usesOf('declared')).body).toMatchObject({ checked_at: null, total: { users: 1, calls: 1 } });
  });

  it('is deleted with the connector, and a call that was counted meanwhile leaves nothing', async () => {
    const { body } = await create('short');
    const { id } = body as { id: string };
    await use('short');
    await call(server, `/v1/connectors/${id}`, { method: 'DELETE' });
    await usesOf('wiki');
    const { db } = server.platform.database;
    expect(await db.selectFrom('connector_uses').selectAll().where('connector_id', '=', id).execute()).toEqual([]);
  });

  it('a call is in the audit log before its connector gets it', async () => {
    await create('audited');
    const { db } = server.platform.database;
    const logged = async () => {
      const rows = await db
        .selectFrom('audit_logs')
        .select(['event_type', 'target_metadata'])
        .where('event_type', '=', 'integration.tool_called')
        .execute();
      return rows.filter(({ target_metadata }) => target_metadata.name === 'audited').length;
    };
    const seen: number[] = [];
    wiki.answer = async () => {
      seen.push(await logged());
      return { content: [{ type: 'text', text: 'done' }] };
    };
    expect((await use('audited')).status).toBe(200);
    expect((await use('audited')).status).toBe(200);
    expect(seen).toEqual([1, 2]);
  });

  it.runIf(isSqliteOrFull(database))(
    '404: another organization and an unknown name look the same; 401 without a key; 422 for an unknown parameter',
    async () => {
      expect((await usesOf('wiki', stranger)).status).toBe(404);
      expect((await usesOf('no-such')).status).toBe(404);
      expect((await usesOf('wiki', '')).status).toBe(401);
      expect((await call(server, '/v1/connectors/wiki/uses?colour=blue')).status).toBe(422);
    },
  );
});
