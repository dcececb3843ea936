import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/call.ts';
import { onSqliteFirst } from '../support/databases.ts';
import { addColleague } from '../support/people.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const definitions = { prompts: { content: 'Hello' }, skills: { description: 'Says hello', body: 'Hello' } };

onSqliteFirst('what the workspace may only read', (database) => {
  let server: TestServer;
  let [owner, member, admin]: string[] = [];
  beforeAll(async () => {
    server = await startTestServer(database);
    owner = await addColleague(server);
    member = await addColleague(server);
    admin = await addColleague(server, 'workspace_admin');
  });

  describe.each(['prompts', 'skills'] as const)('%s', (room) => {
    const definition = definitions[room];
    const send = async (key: string | undefined, method: string, path: string, body?: unknown) =>
      call(server, `/v2/${room}${path}`, { method, key, ...(body === undefined ? {} : { body }) });
    const share = { sharingScope: 'workspace', workspaceRelation: 'reader' };
    const made = async (more: object = share) => {
      const name = `n-${randomUUID()}`;
      const answer = await send(owner, 'POST', '', { name, definition, aliases: ['main'], ...more });
      expect(answer.status, answer.text).toBe(200);
      return name;
    };
    const changes = (name: string): [string, string, unknown?][] => [
      [
        'POST',
        `/${name}/versions`,
        { definition: { ...definition, ...{ prompts: { content: 'Hi' }, skills: { body: 'Hi' } }[room] } },
      ],
      ['PATCH', `/${name}/versions/1`, { aliases: { values: ['other'] } }],
      ['PATCH', `/${name}/versions/1`, { notes: 'mine' }],
      ['PATCH', `/${name}`, { sharingScope: 'workspace', workspaceRelation: 'writer' }],
      ['PATCH', `/${name}`, room === 'prompts' ? { title: 'mine' } : { workspaceRelation: 'writer' }],
      ...(room === 'prompts' ? [['PUT', `/${name}/model`, { model: 'm' }] as [string, string, unknown]] : []),
      ['DELETE', `/${name}`],
    ];

    it('is read by members and changed by none of them', async () => {
      const name = await made();
      const seen = await send(member, 'GET', `/${name}?alias=main`);
      expect(seen).toMatchObject({ status: 200, body: { sharingScope: 'workspace', workspaceRelation: 'reader' } });
      for (const [method, path, body] of changes(name)) {
        const refused = await send(member, method, path, body);
        expect([method, path, refused.status, refused.body]).toEqual([
          method,
          path,
          403,
          expect.objectContaining({ code: `${room.slice(0, -1)}_read_only` }),
        ]);
      }
      expect((await send(member, 'GET', `/${name}`)).body).toEqual((await send(owner, 'GET', `/${name}`)).body);
    });

    it('is changed by its owner and by admins of the workspace', async () => {
      for (const key of [owner, admin]) {
        const name = await made();
        const [first] = changes(name);
        expect((await send(key, ...(first as [string, string, unknown]))).status).toBe(200);
        expect((await send(key, 'PATCH', `/${name}`, { workspaceRelation: 'writer' })).status).toBe(200);
        expect((await send(member, 'PATCH', `/${name}/versions/1`, { notes: 'mine' })).status).toBe(200);
        expect((await send(member, 'GET', `/${name}`)).body).not.toHaveProperty('workspaceRelation');
        expect((await send(key, 'DELETE', `/${name}`)).status).toBe(200);
      }
    });

    it('cannot be made so by a member, and a private one becomes so when it is shared', async () => {
      const open = await made({ sharingScope: 'workspace' });
      expect((await send(member, 'PATCH', `/${open}`, { workspaceRelation: 'reader' })).status).toBe(403);
      expect((await send(member, 'PATCH', `/${open}`, { workspaceRelation: 'writer' })).status).toBe(200);
      const kept = await made({ workspaceRelation: 'reader' });
      expect((await send(owner, 'PATCH', `/${kept}`, { sharingScope: 'workspace' })).status).toBe(200);
      expect((await send(member, 'PATCH', `/${kept}/versions/1`, { notes: 'mine' })).status).toBe(403);
    });
  });
});
