import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onEachDatabase } from '../../test/support/databases.ts';
import { countStatements } from '../../test/support/statements.ts';
import { type Conversing, MODEL, startConversing } from './conversations-for-tests.ts';
import type { StoredEntry } from './schema/entries.ts';
import { createWarmConversations, type WarmConversation } from './warm-conversations.ts';

const READS = /^select .*from "conversation(s|_entries)"/;

onEachDatabase('a conversation whose last run ended here', (database) => {
  let conversing: Conversing;
  beforeAll(async () => {
    conversing = await startConversing(database);
  });
  const path = '/v1/conversations';
  const start = async (): Promise<string> => {
    const { body } = await call(conversing.server, path, { body: { model: MODEL, inputs: 'Hi' } });
    return (body as { conversation_id: string }).conversation_id;
  };
  const append = (id: string, inputs: string, more = {}) =>
    call(conversing.server, `${path}/${id}`, { body: { inputs, ...more } });
  const seenByModel = () => {
    const messages = (conversing.upstream.calls.at(-1)?.body.messages ?? []) as { content: string }[];
    return messages.map(({ content }) => content);
  };

  it('goes on without being read where no other process can have changed it', async () => {
    const id = await start();
    const statements = countStatements();
    for (const inputs of ['one', 'two']) expect((await append(id, inputs)).status).toBe(200);
    const reads = statements.stop().texts.filter((text) => READS.test(text));
    expect(reads).toHaveLength(database.kind === 'sqlite' ? 0 : 4);
    expect(seenByModel()).toEqual(['Hi', 'Hello there', 'one', 'Hello there', 'two']);
    const { body } = await call(conversing.server, `${path}/${id}/history`);
    expect((body as { entries: unknown[] }).entries).toHaveLength(6);
  });

  it('is read again when it is not as the run left it', async () => {
    const id = await start();
    const { db } = conversing.server.platform.database;
    const [first] = await db.selectFrom('conversation_entries').selectAll().where('conversation_id', '=', id).execute();
    if (!first) throw new Error('There is no entry.');
    const entry = JSON.stringify({ ...first.entry, content: 'Changed' });
    await db.updateTable('conversation_entries').set({ entry }).where('id', '=', first.id).execute();
    await db.updateTable('conversations').set({ updated_at: '2099-01-01' }).where('id', '=', id).execute();
    expect((await append(id, 'one')).status).toBe(200);
    expect(seenByModel()).toEqual(['Changed', 'Hello there', 'one']);
    expect((await append(id, 'two')).status).toBe(200);
    expect(seenByModel()).toEqual(['Changed', 'Hello there', 'one', 'Hello there', 'two']);
  });

  it('is as it was after a run that failed, and after one that is not stored', async () => {
    const id = await start();
    conversing.says({ status: 400 });
    expect((await append(id, 'refused')).status).toBeGreaterThanOrEqual(400);
    expect((await append(id, 'unstored', { store: false })).status).toBe(200);
    expect((await append(id, 'one')).status).toBe(200);
    expect(seenByModel()).toEqual(['Hi', 'Hello there', 'one']);
  });

  it('is gone when it was deleted', async () => {
    const id = await start();
    expect((await call(conversing.server, `${path}/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await append(id, 'one')).toMatchObject({ status: 404, body: { code: 'conversation_not_found' } });
  });
});

describe('conversations in memory', () => {
  const owner = { workspace_id: 'workspace', user_id: 'user' };
  const settings = { kind: 'agent', agent_id: 'agent', agent_version: null, guardrails: null } as never;
  const conversation = (id: string, characters = 10): WarmConversation => {
    const content = 'a'.repeat(characters);
    const history = [{ entry: { type: 'message.output', content }, memo: null } as unknown as StoredEntry];
    return { id, ...owner, settings, metadata: null, updated_at: '', history };
  };
  const countKept = (warm: ReturnType<typeof createWarmConversations>, ids: string[]) =>
    ids.filter((id) => warm.take(owner, id)).length;

  it('are taken once, by their owner', () => {
    const warm = createWarmConversations({ kind: 'sqlite' });
    warm.keep(conversation('one'));
    expect(warm.take({ ...owner, user_id: 'another' }, 'one')).toBeUndefined();
    expect(warm.take({ ...owner, workspace_id: 'another' }, 'one')).toBeUndefined();
    expect(warm.take(owner, 'one')).toMatchObject({ id: 'one' });
    expect(warm.take(owner, 'one')).toBeUndefined();
  });

  it('have 4 Mi characters together and 128 Ki each, at most', () => {
    const warm = createWarmConversations({ kind: 'sqlite' });
    const ids = Array.from({ length: 100 }, (_, index) => `${index}`);
    for (const id of ids) warm.keep(conversation(id, 100 * 1024));
    expect(countKept(warm, ids.slice(0, 60))).toBe(0);
    expect(countKept(warm, ids)).toBeGreaterThan(35);
    warm.keep(conversation('large', 130 * 1024));
    expect(warm.take(owner, 'large')).toBeUndefined();
    const many = Array.from({ length: 1500 }, (_, index) => `${index}`);
    for (const id of many) warm.keep(conversation(id));
    expect(countKept(warm, many)).toBe(1000);
  });

  it('are none where other servers append too', () => {
    const warm = createWarmConversations({ kind: 'postgres' });
    warm.keep(conversation('one'));
    expect(warm.take(owner, 'one')).toBeUndefined();
  });
});
