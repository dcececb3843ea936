import { beforeAll, describe, expect, it } from 'vitest';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { openBrowser, signInOwner, type TestBrowser } from '../console/browser-for-tests.ts';
import { type Conversing, MODEL, startConversing } from './conversations-for-tests.ts';

type Branch = { conversation_id: string; entries: number; shared_entries: number; name: string | null };

onEachDatabase('branches of a conversation', (database) => {
  let conversing: Conversing;
  let owner: TestBrowser;
  beforeAll(async () => {
    conversing = await startConversing(database);
    owner = await signInOwner(conversing.server);
  });
  const send = async (path: string, body: unknown) => {
    const answer = await owner.ask(`/v1/conversations${path}`, { body });
    expect(answer.status, answer.text).toBe(200);
    return answer.body as { conversation_id: string };
  };
  const branchesOf = async (id: string) => {
    const answer = await owner.ask(`/console/api/conversations/${id}/branches`);
    expect(answer.status, answer.text).toBe(200);
    return (answer.body as { branches: Branch[] }).branches;
  };
  const entriesOf = async (id: string) =>
    ((await owner.ask(`/v1/conversations/${id}/history`)).body as { entries: { id: string }[] }).entries;

  describe('200', () => {
    it('lists what was restarted from it and what it was restarted from, with how much they share', async () => {
      const { conversation_id: trunk } = await send('', { model: MODEL, inputs: 'Hi', name: 'Trunk' });
      await send(`/${trunk}`, { inputs: 'More' });
      const entries = await entriesOf(trunk);
      const restart = (at: number) => send(`/${trunk}/restart`, { from_entry_id: entries[at]?.id, inputs: 'Else' });
      const { conversation_id: early } = await restart(1);
      const { conversation_id: late } = await restart(3);
      await send('', { model: MODEL, inputs: 'Hi' });
      expect(await branchesOf(trunk)).toMatchObject([
        { conversation_id: late, entries: 6, shared_entries: 4, name: 'Trunk' },
        { conversation_id: early, entries: 4, shared_entries: 2 },
      ]);
      expect(await branchesOf(early)).toMatchObject([
        { conversation_id: late, shared_entries: 2 },
        { conversation_id: trunk, shared_entries: 2, entries: 4 },
      ]);
    });

    it('lists none of a conversation that stands alone', async () => {
      const { conversation_id } = await send('', { model: MODEL, inputs: 'Alone' });
      expect(await branchesOf(conversation_id)).toEqual([]);
    });
  });

  it.runIf(isSqliteOrFull(database))('401: is for sessions of the console, and for no key', async () => {
    const path = '/console/api/conversations/conv_x/branches';
    expect((await openBrowser(conversing.server).ask(path)).status).toBe(401);
    const authorization = `Bearer ${conversing.server.key}`;
    expect((await openBrowser(conversing.server).ask(path, { headers: { authorization } })).status).toBe(401);
  });

  it.runIf(isSqliteOrFull(database))(
    '404: a conversation of somebody else is as missing as one that never was',
    async () => {
      // The key's user is the owner of the session; a conversation of another user is made under another id.
      const missing = await owner.ask('/console/api/conversations/conv_00000000000000000000000000000000/branches');
      expect(missing.status).toBe(404);
      const { conversation_id } = await send('', { model: MODEL, inputs: 'Mine' });
      await conversing.server.platform.database.db
        .updateTable('conversations')
        .set({ user_id: 'somebody-else' } as never)
        .where('id', '=', conversation_id)
        .execute();
      const theirs = await owner.ask(`/console/api/conversations/${conversation_id}/branches`);
      expect([theirs.status, theirs.text.replace(conversation_id, 'conv_00000000000000000000000000000000')]).toEqual([
        404,
        missing.text,
      ]);
    },
  );

  it.runIf(isSqliteOrFull(database))('422: takes no parameter', async () => {
    expect((await owner.ask('/console/api/conversations/conv_x/branches?limit=1')).status).toBe(422);
  });
});
