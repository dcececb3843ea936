import { type ColumnType, type Selectable, sql } from 'kysely';
import {
  type Database,
  type Db,
  holdsJson,
  inOrder,
  padValues,
  readGroups,
  storedBytes,
  type Tables,
  type Tx,
} from '../../kit/db/index.ts';
import type { Entry, Memo, StoredEntry } from '../schema/entries.ts';
import type { Settings } from '../schema/settings.ts';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    conversations: {
      id: string;
      workspace_id: string;
      user_id: string;
      settings: ColumnType<Settings, string, string>;
      metadata: ColumnType<Record<string, unknown> | null, string | null, string | null>;
      entry_count: number;
      /** The run in progress, which alone may append. */
      run_id: string | null;
      created_at: string;
      updated_at: string;
    };
    conversation_entries: {
      conversation_id: string;
      position: number;
      id: string;
      type: string;
      entry: ColumnType<Entry, string, string>;
      memo: ColumnType<Memo | null, string | null, string | null>;
    };
  }
}

// SQLite takes at most 32,766 parameters in a statement; a row has six.
const ROWS_PER_INSERT = 1000;
const ENTRIES_PER_SEARCH = 10_000;

export type ConversationRow = Selectable<Tables['conversations']>;
export type Owner = { workspace_id: string; user_id: string };

export async function insertConversation(tx: Tx, row: ConversationRow): Promise<void> {
  await tx
    .insertInto('conversations')
    .values({
      ...row,
      settings: JSON.stringify(row.settings),
      metadata: row.metadata === null ? null : JSON.stringify(row.metadata),
    })
    .execute();
}

export function findConversation(db: Db, owner: Owner, id: string): Promise<ConversationRow | undefined> {
  return db
    .selectFrom('conversations')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', owner.workspace_id)
    .where('user_id', '=', owner.user_id)
    .executeTakeFirst();
}

type Handle = Pick<Database, 'db' | 'kind'>;

/** Newest first, in groups. */
export async function listConversations(
  { db, kind }: Handle,
  owner: Owner,
  page: { offset: number; limit: number; metadata: Record<string, unknown> },
): Promise<AsyncGenerator<ConversationRow[]>> {
  const owned = db
    .selectFrom('conversations')
    .where('workspace_id', '=', owner.workspace_id)
    .where('user_id', '=', owner.user_id);
  let query = owned.select(['id', storedBytes(kind, 'settings', 'metadata').as('bytes')]);
  for (const [key, value] of Object.entries(page.metadata))
    query = query.where(holdsJson(kind, sql.ref('conversations.metadata'), key, value));
  const found = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return readGroups(found, async (group) => {
    const ids = group.map(({ id }) => id);
    const rows = await owned.selectAll().where('id', 'in', padValues(ids)).execute();
    return inOrder(ids, rows, ({ id }) => id);
  });
}

/**
 * For a run that adds its inputs, and perhaps goes on with settings of its own. Returns the position of the first new entry;
 * undefined when a run is in progress, or there is no such conversation.
 */
export async function claimConversation(
  tx: Tx,
  owner: Owner,
  id: string,
  { runId, at, added, settings }: { runId: string; at: string; added: number; settings: Settings | undefined },
): Promise<number | undefined> {
  const counted = await tx
    .updateTable('conversations')
    .set({ run_id: runId, updated_at: at, entry_count: sql<number>`entry_count + ${added}` })
    .$if(settings !== undefined, (query) => query.set({ settings: JSON.stringify(settings) }))
    .where('id', '=', id)
    .where('workspace_id', '=', owner.workspace_id)
    .where('user_id', '=', owner.user_id)
    .where('run_id', 'is', null)
    .returning('entry_count')
    .executeTakeFirst();
  return counted && counted.entry_count - added;
}

/** With the last entries of its run; returns the position of the first, or undefined when the run lost the conversation. */
export async function releaseConversation(
  tx: Tx,
  id: string,
  { runId, at, added }: { runId: string; at: string; added: number },
): Promise<number | undefined> {
  const counted = await tx
    .updateTable('conversations')
    .set({ run_id: null, updated_at: at, entry_count: sql<number>`entry_count + ${added}` })
    .where('id', '=', id)
    .where('run_id', '=', runId)
    .returning('entry_count')
    .executeTakeFirst();
  return counted && counted.entry_count - added;
}

export async function deleteConversation(
  tx: Tx,
  owner: Owner,
  id: string,
): Promise<{ run_id: string | null } | undefined> {
  return tx
    .deleteFrom('conversations')
    .where('id', '=', id)
    .where('workspace_id', '=', owner.workspace_id)
    .where('user_id', '=', owner.user_id)
    .returning('run_id')
    .executeTakeFirst();
}

export async function deleteFailedConversation(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('conversations').where('id', '=', id).execute();
}

/** For pruning: of any owner. */
export async function conversationExists(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom('conversations').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** Returns the position of the first new entry, or undefined when the run no longer has the conversation. */
export async function appendEntries(
  tx: Tx,
  conversationId: string,
  runId: string,
  entries: readonly StoredEntry[],
): Promise<number | undefined> {
  const counted = await tx
    .updateTable('conversations')
    .set({ entry_count: sql<number>`entry_count + ${entries.length}` })
    .where('id', '=', conversationId)
    .where('run_id', '=', runId)
    .returning('entry_count')
    .executeTakeFirst();
  if (!counted) return undefined;
  const first = counted.entry_count - entries.length;
  await insertEntries(tx, conversationId, first, entries);
  return first;
}

/** Of a conversation that counts them already. */
export async function insertEntries(
  tx: Tx,
  conversationId: string,
  first: number,
  entries: readonly StoredEntry[],
): Promise<void> {
  const rows = entries.map(({ entry, memo }, index) => ({
    conversation_id: conversationId,
    position: first + index,
    id: entry.id,
    type: entry.type,
    entry: JSON.stringify(entry),
    memo: memo === null ? null : JSON.stringify(memo),
  }));
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT)
    await tx
      .insertInto('conversation_entries')
      .values(rows.slice(at, at + ROWS_PER_INSERT))
      .execute();
}

export function listEntries(db: Db, conversationId: string, from = 0): Promise<StoredEntry[]> {
  return db
    .selectFrom('conversation_entries')
    .select(['entry', 'memo'])
    .where('conversation_id', '=', conversationId)
    .where('position', '>=', from)
    .orderBy('position')
    .execute();
}

/** Of all conversations of a user. Copies of a conversation have the same ids; any of them will do. */
export async function listEntriesById(db: Db, owner: Owner, ids: readonly string[]): Promise<StoredEntry[]> {
  const found: StoredEntry[] = [];
  for (let at = 0; at < ids.length; at += ENTRIES_PER_SEARCH)
    found.push(
      ...(await db
        .selectFrom('conversations')
        .innerJoin('conversation_entries', 'conversation_entries.conversation_id', 'conversations.id')
        .select(['entry', 'memo'])
        .where('conversations.workspace_id', '=', owner.workspace_id)
        .where('conversations.user_id', '=', owner.user_id)
        .where('conversation_entries.id', 'in', padValues(ids.slice(at, at + ENTRIES_PER_SEARCH)))
        .execute()),
    );
  return found;
}

/** The entries for responses, in groups; of these types if some are given. */
export async function* readEntries(
  { db, kind }: Handle,
  conversationId: string,
  types?: readonly string[],
): AsyncGenerator<Entry[]> {
  const ofConversation = db.selectFrom('conversation_entries').where('conversation_id', '=', conversationId);
  for (let from = 0; ; ) {
    const found = await ofConversation
      .select(['position', storedBytes(kind, 'entry').as('bytes')])
      .where('position', '>=', from)
      .$if(types !== undefined, (query) => query.where('type', 'in', types ?? []))
      .orderBy('position')
      .limit(ENTRIES_PER_SEARCH)
      .execute();
    yield* readGroups(found, async (group) => {
      const positions = group.map(({ position }) => position);
      const rows = await ofConversation
        .select(['position', 'entry'])
        .where('position', 'in', padValues(positions))
        .execute();
      return inOrder(positions, rows, ({ position }) => position).map(({ entry }) => entry);
    });
    const last = found.at(-1);
    if (!last || found.length < ENTRIES_PER_SEARCH) return;
    from = last.position + 1;
  }
}

/** For confirmations: nothing else of an entry ever changes. */
export async function updateEntry(tx: Tx, conversationId: string, entry: Entry): Promise<void> {
  await tx
    .updateTable('conversation_entries')
    .set({ entry: JSON.stringify(entry) })
    .where('conversation_id', '=', conversationId)
    .where('id', '=', entry.id)
    .execute();
}

export async function deleteEntriesFrom(tx: Tx, conversationId: string, position: number): Promise<void> {
  await tx
    .deleteFrom('conversation_entries')
    .where('conversation_id', '=', conversationId)
    .where('position', '>=', position)
    .execute();
  await tx.updateTable('conversations').set({ entry_count: position }).where('id', '=', conversationId).execute();
}
