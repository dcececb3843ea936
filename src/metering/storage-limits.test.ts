import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { addStranger } from '../../test/support/people.ts';
import { listedModel, startTestServer, type TestServer } from '../../test/support/server.ts';
import { type FileBody, upload } from '../files/upload-for-tests.ts';

const MEBIBYTE = 1024 * 1024;

onSqliteFirst('storage limits', (database) => {
  let server: TestServer;
  let workspaceId: string;
  beforeAll(async () => {
    server = await startTestServer(database, {
      file: { models: [listedModel('small')], limits: { workspace: { storage_mib: 3 } } },
    });
    const me = (await call(server, '/v1/users/me')).body as { workspace: { id: string } };
    workspaceId = me.workspace.id;
  });
  const agent = (instructions: string, key?: string) =>
    call(server, '/v1/agents', { body: { model: 'small', name: 'Long', instructions }, ...(key ? { key } : {}) });

  it('refuse what does not fit, whichever room would store it, and nobody else is affected', async () => {
    const files: FileBody[] = [];
    for (const letter of ['a', 'b']) {
      const answer = await upload(server, letter.repeat(1.25 * MEBIBYTE), { purpose: 'batch' });
      expect(answer.status, answer.text).toBe(200);
      files.push(answer.body as FileBody);
    }
    const refused = await upload(server, 'c'.repeat(1.25 * MEBIBYTE), { purpose: 'batch' });
    expect(refused).toMatchObject({ status: 413, body: { code: 'storage_limit_exceeded' } });
    const requests = Array.from({ length: 700 }, () => ({
      body: { messages: [{ role: 'user', content: 'x'.repeat(1000) }] },
    }));
    const job = { endpoint: '/v1/chat/completions', model: 'small', requests };
    expect((await call(server, '/v1/batch/jobs', { body: job })).status).toBe(413);
    expect((await agent('Be brief.')).status).toBe(200);
    expect(
      (await upload(server, 'd'.repeat(1.25 * MEBIBYTE), { purpose: 'batch' }, { key: await addStranger(server) }))
        .status,
    ).toBe(200);

    // Reading, and deleting, which is the way out, are never refused.
    expect((await call(server, `/v1/files/${files[0]?.id}/content`)).status).toBe(200);
    expect((await call(server, `/v1/files/${files[0]?.id}`, { method: 'DELETE' })).status).toBe(200);
    await expect
      .poll(async () => (await upload(server, 'e'.repeat(1.25 * MEBIBYTE), { purpose: 'batch' })).status, {
        timeout: 5000,
        interval: 300,
      })
      .toBe(200);
  });

  it('are measured from what is stored, also by rooms that keep it in the database', async () => {
    const { platform } = server;
    const { measureStored } = await import('./store/stored-bytes.ts');
    const measure = () => measureStored(platform.database, { kind: 'workspace', id: workspaceId });
    const before = await measure();
    const instructions = Array.from({ length: 20_000 }, (_, index) => `${index}`).join(' ');
    expect((await agent(instructions)).status).toBe(200);
    // PostgreSQL compresses what it stores.
    expect((await measure()) - before).toBeGreaterThan(instructions.length / 8);
    const organization = await platform.database.db
      .selectFrom('workspaces')
      .select('organization_id')
      .where('id', '=', workspaceId)
      .executeTakeFirstOrThrow();
    const whole = await measureStored(platform.database, { kind: 'organization', id: organization.organization_id });
    expect(whole).toBeGreaterThanOrEqual(await measure());
  });
});
