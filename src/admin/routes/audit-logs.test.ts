import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../../test/support/databases.ts';
import { listedModel } from '../../../test/support/server.ts';
import { type AdminServer, addMember, addOrganization, startAdminServer } from '../admin-for-tests.ts';

type Entry = {
  event_type: string;
  actor_type: string;
  actor_metadata: Record<string, string>;
  event_metadata: Record<string, string>;
  target_type: string;
  target_metadata: Record<string, string>;
  log_id: number;
  created_at: string;
  workspace_uuid: string | null;
  organization_uuid: string;
};

onEachDatabase('the audit log of an organization', (database) => {
  let server: AdminServer;
  let other: Awaited<ReturnType<typeof addOrganization>>;
  beforeAll(async () => {
    server = await startAdminServer(database, { file: { models: [listedModel('m')] } });
    other = await addOrganization(server, 'Elsewhere');
  });

  const read = async (query = '?limit=1000', key?: string) =>
    (await server.admin<Entry[]>('GET', `/audit-logs${query}`, undefined, key)).body;
  const newest = async (type: string) => (await read(`?event_type=${type}&limit=1`))[0];

  it('has actor, target, workspace, address and request id of changes over HTTP [ADMIN-AUDIT]', async () => {
    const answer = await call(server, '/v1/admin/users', {
      key: server.adminKey,
      headers: { 'x-request-id': 'my-request' },
      body: [{ email: 'seen@example.test', first_name: 'S', last_name: 'N' }],
    });
    const id = (answer.body as { email_to_user_id: Record<string, string> }).email_to_user_id['seen@example.test'];
    expect(await newest('user.organization.join')).toMatchObject({
      actor_type: 'API_KEY',
      actor_metadata: { admin_api_key_id: expect.any(String), ip_address: '127.0.0.1' },
      event_metadata: { roles: 'member', request_id: 'my-request' },
      target_type: 'USER',
      target_metadata: { id, email: 'seen@example.test' },
      organization_uuid: server.organizationId,
      workspace_uuid: null,
    });
    await call(server, '/v2/prompts', { body: { name: 'logged', definition: { content: 'A secret prompt text' } } });
    expect(await newest('prompt.create')).toMatchObject({
      actor_metadata: { user_uuid: server.ownerId, ip_address: '127.0.0.1' },
      workspace_uuid: server.workspaceId,
    });
  });

  it('is complete over every area', async () => {
    const workspace = (
      await server.admin<{ uuid: string }>('POST', '/workspaces', { name: 'W', admin_user_id: server.ownerId })
    ).body.uuid;
    await server.admin('PATCH', `/workspaces/${workspace}`, { name: 'W2' });
    const user = await addMember(server, 'busy@example.test');
    const members = [{ user_uuid: user }];
    await server.admin('POST', `/workspaces/${workspace}/add-users`, { members });
    await server.admin('PATCH', `/workspaces/${workspace}/users`, { members: [{ user_uuid: user, role: 'A' }] });
    const key = await server.admin<{ key_id: string }>('POST', '/api-keys', {
      workspace_uuid: workspace,
      user_id: user,
    });
    await server.admin('DELETE', `/api-keys/${key.body.key_id}`);
    await server.admin('DELETE', `/workspaces/${workspace}/remove-users`, { members });
    await server.admin('PATCH', `/users/${user}`, { role: 'B' });
    const group = (await server.admin<{ uuid: string }>('POST', '/user-groups', { name: 'G' })).body.uuid;
    await server.admin('PATCH', `/user-groups/${group}`, { name: 'G2' });
    await server.admin('POST', `/user-groups/${group}/members`, { user_uuids: [user] });
    await server.admin('DELETE', `/user-groups/${group}/members`, { user_uuids: [user] });
    await server.admin('POST', `/user-groups/${group}/workspaces`, { workspace_uuid: workspace });
    await server.admin('PATCH', `/user-groups/${group}/workspaces/${workspace}`, { role: 'A' });
    await server.admin('DELETE', `/user-groups/${group}/workspaces/${workspace}`);
    await server.admin('DELETE', `/user-groups/${group}`);
    await server.admin('DELETE', `/users/${user}`);
    await server.admin('DELETE', `/workspaces/${workspace}`);
    await server.admin('POST', '/spend-limit', { amount: 5 });
    await server.admin('POST', '/users-invite', { email: 'i@example.test' });
    await server.admin('POST', '/users-invite', { email: 'i@example.test' });
    const invites = await server.admin<{ invite_uuid: string }[]>('GET', '/users-invite');
    await server.admin('DELETE', `/users-invite/${invites.body[0]?.invite_uuid}`);
    const agent = (await call(server, '/v1/agents', { body: { model: 'm', name: 'Secretary' } })).body as {
      id: string;
    };
    await call(server, `/v1/agents/${agent.id}/aliases?alias=stable&version=0`, { method: 'PUT' });
    const prompt = await call(server, '/v2/prompts', { body: { name: 'p2', definition: { content: 'Text' } } });
    const { id } = prompt.body as { id: string };
    await call(server, `/v2/prompts/${id}/versions/1`, { method: 'PATCH', body: { aliases: { values: ['live'] } } });
    const types = new Set((await read()).map(({ event_type }) => event_type));
    for (const type of [
      'workspace.create',
      'workspace.update',
      'workspace.delete',
      'workspace.member.add',
      'workspace.member.role.update',
      'workspace.member.remove',
      'user.create',
      'user.organization.join',
      'user.organization.role.update',
      'user.organization.delete',
      'api_key.create',
      'api_key.delete',
      'admin_api_key.created',
      'user_group.create',
      'user_group.update',
      'user_group.delete',
      'user_group.member.add',
      'user_group.member.remove',
      'user_group.workspace.provision',
      'user_group.workspace.update',
      'user_group.workspace.deprovision',
      'organization.invite.send',
      'organization.invite.resend',
      'organization.invite.revoked',
      'billing.monthly_limit.updated',
      'agent.create',
      'agent.update',
      'prompt.create',
      'prompt.update',
    ])
      expect(types).toContain(type);
    expect(await server.platform.audit.verify()).toMatchObject({ ok: true });
  });

  it('records who created, read, shared and deleted a file, and reads by a signed URL', async () => {
    const form = new FormData();
    form.set('purpose', 'ocr');
    form.set('file', new Blob(['the secret content']), 'payroll-of-ann.txt');
    const authorization = `Bearer ${server.key}`;
    const uploaded = await fetch(`${server.url}/v1/files`, { method: 'POST', headers: { authorization }, body: form });
    const { id } = (await uploaded.json()) as { id: string };
    await call(server, `/v1/files/${id}/content`);
    const { url } = (await call(server, `/v1/files/${id}/url?expiry=1`)).body as { url: string };
    expect(await (await fetch(url)).text()).toBe('the secret content');
    await call(server, `/v1/files/${id}`, { method: 'DELETE' });
    const entries = (await read('?target_type=FILE&sort=ascending')).filter(
      ({ target_metadata }) => target_metadata.id === id,
    );
    expect(entries.map(({ event_type, actor_type }) => [event_type, actor_type])).toEqual([
      ['file.create', 'API_KEY'],
      ['file.read', 'API_KEY'],
      ['file.share', 'API_KEY'],
      ['file.read', 'OTHER'],
      ['file.delete', 'API_KEY'],
    ]);
    for (const entry of entries)
      expect([entry.workspace_uuid, entry.actor_metadata.ip_address]).toEqual([server.workspaceId, '127.0.0.1']);
    expect(JSON.stringify(entries)).not.toMatch(/payroll|secret content|signature/);
  });

  it.runIf(isSqliteOrFull(database))('holds no key, no link and no text of a prompt', async () => {
    const made = await server.admin<{ key: string }>('POST', '/api-keys', {
      workspace_uuid: server.workspaceId,
      user_id: server.ownerId,
    });
    const invited = await server.admin<{ invite_links: { url: string }[] }>('POST', '/users-invite', {
      email: 'l@example.test',
    });
    await call(server, '/v2/prompts', { body: { name: 'p3', definition: { content: 'A secret prompt text' } } });
    const text = JSON.stringify(await read());
    const token = invited.body.invite_links[0]?.url.split('/').at(-1) ?? 'none';
    for (const secret of [made.body.key, server.key, server.adminKey, token, 'A secret prompt text'])
      expect(text).not.toContain(secret);
  });

  describe.runIf(isSqliteOrFull(database))('refused calls', () => {
    const refusals = async (count: number, key?: string): Promise<Entry[]> => {
      // They are written after the response.
      for (;;) {
        const found = await read('?event_type=admin_api.refused&sort=ascending&limit=100', key);
        if (found.length >= count) return found;
        await wait(5);
      }
    };

    it('are in the log of the organization whose key was used, once a minute [ADMIN-AUDIT-REFUSED]', async () => {
      const fresh = await addOrganization(server, 'Refused');
      for (let i = 0; i < 3; i++) await server.admin('GET', '/users', undefined, fresh.key);
      await server.admin('DELETE', `/users/${fresh.ownerId}`, undefined, fresh.adminKey);
      const found = await refusals(2, fresh.adminKey);
      expect(found).toMatchObject([
        {
          actor_metadata: { user_uuid: fresh.ownerId, api_key_id: fresh.keyId, ip_address: '127.0.0.1' },
          event_metadata: { status: '401', request_id: expect.any(String) },
          target_type: 'ADMIN_API',
          target_metadata: { operation: 'GET /v1/admin/users' },
          workspace_uuid: fresh.workspaceId,
        },
        {
          actor_metadata: { admin_api_key_id: expect.any(String) },
          event_metadata: { status: '409' },
          target_metadata: { operation: 'DELETE /v1/admin/users/:user_id' },
        },
      ]);
    });

    it('of an organization without the enterprise plan are listed once it has the plan', async () => {
      const small = await addOrganization(server, 'Smaller', 'team');
      await server.admin('GET', '/roles', undefined, small.adminKey);
      await server.platform.tenants.setPlan(small.id, 'enterprise');
      expect(await refusals(1, small.adminKey)).toMatchObject([
        { event_metadata: { status: '403' }, target_metadata: { operation: 'GET /v1/admin/roles' } },
      ]);
    });
  });

  describe('the list', () => {
    it('filters by everything the wire names, and shows no other organization', async () => {
      const all = await read();
      expect(all.map(({ log_id }) => log_id)).toEqual(all.map(({ log_id }) => log_id).sort((a, b) => b - a));
      expect(await read('?limit=2')).toEqual(all.slice(0, 2));
      expect((await read('')).length).toBeLessThanOrEqual(20);
      expect((await read('?sort=ascending&limit=1'))[0]?.log_id).toBe(1);
      const operators = await read('?actor_type=OTHER&limit=1000');
      expect(operators.length).toBeGreaterThan(2);
      expect(new Set(operators.map(({ actor_type }) => actor_type))).toEqual(new Set(['OTHER']));
      const several = await read('?event_type=prompt.create&event_type=agent.create&limit=1000');
      expect(new Set(several.map(({ event_type }) => event_type))).toEqual(new Set(['prompt.create', 'agent.create']));
      const mine = await read(`?actor_user_uuid=${server.ownerId}&target_type=PROMPT&limit=1000`);
      expect(mine.length).toBeGreaterThan(2);
      const middle = all[Math.floor(all.length / 2)]!;
      const range = await read(`?after=${middle.created_at}&limit=1000`);
      expect(range.map(({ log_id }) => log_id).at(-1)).toBe(middle.log_id + 1);
      expect((await read(`?before=${middle.created_at}&limit=1`))[0]?.log_id).toBe(middle.log_id - 1);
      const theirs = await read('?limit=1000', other.adminKey);
      expect(new Set(theirs.map(({ organization_uuid }) => organization_uuid))).toEqual(new Set([other.id]));
    });

    it.each([
      'actor_type=X',
      'event_type=x',
      'target_type=x',
      'sort=up',
      'after=yesterday',
      'limit=1001',
      'limit=-1',
      'x=1',
    ])('refuses ?%s', async (query) => {
      expect((await server.admin('GET', `/audit-logs?${query}`)).status).toBe(422);
    });
  });
});
