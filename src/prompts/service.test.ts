import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onEachDatabase } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { clientOf, text, type Wire } from './prompts-for-tests.ts';

onEachDatabase('a change of a prompt', (database) => {
  let server: TestServer;
  const client = clientOf(() => server);
  beforeAll(async () => {
    server = await startTestServer(database);
  });

  async function entries(id: string) {
    const { audit, tenants, database: opened } = server.platform;
    const [organization] = await tenants.listOrganizations();
    const all = await audit.list(opened.db, organization?.id ?? '', { limit: 1000, sort: 'ascending' });
    return all.filter(({ target_metadata }) => target_metadata.id === id);
  }

  it('is in the audit log: who, what, and from where to where an alias moved [PROMPTS-AUDIT]', async () => {
    const { id, name } = await client.made({ aliases: ['main'] });
    await client.addVersion(name, { ...text('two'), aliases: ['main'] });
    await client.addVersion(name, text('two'));
    await client.addVersion(name, { ...text('two'), notes: 'n' });
    await client.patch(`/v2/prompts/${name}`, { title: 'T', sharingScope: 'workspace' });
    await client.patch(`/v2/prompts/${name}/versions/1`, { aliases: { values: ['old'] } });
    await client.put(`/v2/prompts/${name}/model`, { model: 'small' });
    await client.remove(`/v2/prompts/${name}`);
    const log = await entries(id);
    expect(log.map(({ event_type, event_metadata: { request_id: _, ...told } }) => [event_type, told])).toEqual([
      ['prompt.create', { version: '1', sharing_scope: 'private', aliases: 'main: none → 1' }],
      ['prompt.version.create', { version: '2', aliases: 'main: 1 → 2' }],
      ['prompt.update', { version: '2', deduplicated: 'true' }],
      ['prompt.update', { title: 'changed', sharing_scope: 'workspace' }],
      ['prompt.update', { version: '1', aliases: 'old: none → 1' }],
      ['prompt.update', { model: 'small' }],
      ['prompt.delete', { versions: '2' }],
    ]);
    for (const entry of log) {
      expect(entry).toMatchObject({ actor_type: 'API_KEY', target_type: 'PROMPT', target_metadata: { id, name } });
      expect(entry.event_metadata.request_id).toBeDefined();
      expect(entry.actor_metadata).toEqual({
        user_uuid: expect.any(String),
        api_key_id: expect.any(String),
        ip_address: '127.0.0.1',
      });
    }
  });

  it('that is refused leaves no entry and no trace', async () => {
    const { id, name } = await client.made();
    expect((await client.addVersion(name, text('x'), undefined, { 'if-match': '"no"' })).status).toBe(412);
    expect((await client.patch(`/v2/prompts/${name}/versions/7`, { notes: 'x' })).status).toBe(404);
    expect(await entries(id)).toHaveLength(1);
    expect(await client.read(`/v2/prompts/${name}`)).toMatchObject({ latestVersion: 1 });
  });

  it('happens once for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': client.newName() };
    const body = { name: client.newName(), ...text('once') };
    const [first, second] = [
      await call(server, '/v2/prompts', { body, headers }),
      await call(server, '/v2/prompts', { body, headers }),
    ];
    expect(second).toMatchObject({ status: 200, body: first.body });
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });

  describe('the model behind a prompt', () => {
    it('is set, read, changed and taken away, and makes no version', async () => {
      const { id, name } = await client.made();
      const path = `/v2/prompts/${name}/model`;
      expect(await client.read(path)).toEqual({ model: null });
      expect((await client.put(path, { model: 'small' })).body).toEqual({ model: 'small' });
      await client.put(`/v2/prompts/${id}/model`, { model: 'large' });
      expect(await client.read(path)).toEqual({ model: 'large' });
      expect(((await client.read(`/v2/prompts/${name}/versions`)) as { data: Wire[] }).data).toHaveLength(1);
      await client.put(path, { model: null });
      expect(await client.read(path)).toEqual({ model: null });
    });

    it('cannot be a prompt', async () => {
      const { name } = await client.made();
      for (const model of ['prompt:other', '', 'a\0'])
        expect((await client.put(`/v2/prompts/${name}/model`, { model })).status).toBe(422);
    });
  });
});
