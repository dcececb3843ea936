import { type ColumnType, type Selectable, sql } from 'kysely';
import {
  type Database,
  type Db,
  findPlace,
  holdsJson,
  inOrder,
  isFrom,
  padValues,
  prepareFor,
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

export type ConversationRow = Selectable<Tables['conversations']>;
export type Owner = { workspace_id: string; user_id: string };

const insertRow = prepareFor(
  (
    db,
    ...[id, workspace_id, user_id, settings, metadata, entry_count, run_id, created_at, updated_at]: [
      ...[string, string, string, string, string | null, number, string | null, string, string],
    ]
  ) =>
    db
      .insertInto('conversations')
      .values({ id, workspace_id, user_id, settings, metadata, entry_count, run_id, created_at, updated_at }),
);

export async function insertConversation(tx: Tx, row: ConversationRow): Promise<void> {
  const metadata = row.metadata === null ? null : JSON.stringify(row.metadata);
  const { id, workspace_id, user_id, entry_count, run_id, created_at, updated_at } = row;
  const settings = JSON.stringify(row.settings);
  await insertRow(tx, id, workspace_id, user_id, settings, metadata, entry_count, run_id, created_at, updated_at);
}

const findOwned = prepareFor((db, id: string, workspaceId: string, userId: string) =>
  db
    .selectFrom('conversations')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId),
);

export async function findConversation(db: Db, owner: Owner, id: string): Promise<ConversationRow | undefined> {
  const [row] = await findOwned(db, id, owner.workspace_id, owner.user_id);
  return row;
}

export type Handle = Pick<Database, 'db' | 'kind'>;

/** Newest first, in groups. */
export async function listConversations(
  { db, kind }: Handle,
  owner: Owner,
  page: { offset: number; limit: number; metadata: Record<string, unknown> },
): Promise<AsyncGenerator<ConversationRow[]>> {
  let query = db
    .selectFrom('conversations')
    .select(['id', storedBytes(kind, 'settings', 'metadata').as('bytes')])
    .where('workspace_id', '=', owner.workspace_id)
    .where('user_id', '=', owner.user_id);
  for (const [key, value] of Object.entries(page.metadata))
    query = query.where(holdsJson(kind, sql.ref('conversations.metadata'), key, value));
  const isWhole = Object.keys(page.metadata).length === 0;
  const of = { list: 'conversations', scope: owner.workspace_id, owners: [owner.user_id] };
  const place = await findPlace(db, isWhole ? of : undefined, page.offset, 'desc');
  const found = place
    ? await query
        .where(isFrom('created_at', place, 'desc'))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit)
        .offset(place.offset)
        .execute()
    : [];
  return readGroups(found, async (group) => {
    const ids = group.map(({ id }) => id);
    const rows = await db
      .selectFrom('conversations')
      .selectAll()
      .where('id', 'in', padValues(ids))
      // Not the bare column: SQLite would take the owner's index and look through all that the owner has.
      .where(sql<string>`workspace_id || ''`, '=', owner.workspace_id)
      .execute();
    return inOrder(ids, rows, ({ id }) => id);
  });
}

const claim = prepareFor((db, runId: string, at: string, added: number, id: string, workspace: string, user: string) =>
  claimQuery(db, runId, at, added, id, workspace, user),
);
const claimVersion = prepareFor(
  (db, runId: string, at: string, added: number, id: string, workspace: string, user: string, version: string) =>
    claimQuery(db, runId, at, added, id, workspace, user).where('updated_at', '=', version),
);
const claimWithSettings = prepareFor(
  (db, runId: string, at: string, added: number, id: string, workspace: string, user: string, settings: string) =>
    claimQuery(db, runId, at, added, id, workspace, user).set({ settings }),
);

function claimQuery(db: Db, runId: string, at: string, added: number, id: string, workspace: string, user: string) {
  return db
    .updateTable('conversations')
    .set({ run_id: runId, updated_at: at, entry_count: sql<number>`entry_count + ${added}` })
    .where('id', '=', id)
    .where('workspace_id', '=', workspace)
    .where('user_id', '=', user)
    .where('run_id', 'is', null)
    .returning('entry_count');
}

/**
 * For a run that adds its inputs, and perhaps goes on with settings of its own. Returns the position of the first new entry;
 * undefined when a run is in progress, there is no such conversation, or it has not the given version.
 */
export async function claimConversation(
  tx: Tx,
  owner: Owner,
  id: string,
  {
    runId,
    at,
    added,
    settings,
    version,
  }: { runId: string; at: string; added: number; settings: Settings | undefined; version: string | undefined },
): Promise<number | undefined> {
  const { workspace_id, user_id } = owner;
  const values = [tx, runId, at, added, id, workspace_id, user_id] as const;
  const claimed = settings
    ? claimWithSettings(...values, JSON.stringify(settings))
    : version === undefined
      ? claim(...values)
      : claimVersion(...values, version);
  const [counted] = await claimed;
  return counted && counted.entry_count - added;
}

const release = prepareFor((db, at: string, added: number, id: string, runId: string) =>
  db
    .updateTable('conversations')
    .set({ run_id: null, updated_at: at, entry_count: sql<number>`entry_count + ${added}` })
    .where('id', '=', id)
    .where('run_id', '=', runId)
    .returning('entry_count'),
);

/** With the last entries of its run; returns the position of the first, or undefined when the run lost the conversation. */
export async function releaseConversation(
  tx: Tx,
  id: string,
  { runId, at, added }: { runId: string; at: string; added: number },
): Promise<number | undefined> {
  const [counted] = await release(tx, at, added, id, runId);
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

const insertEntry = prepareFor(
  (db, conversation_id: string, position: number, id: string, type: string, entry: string, memo: string | null) =>
    db.insertInto('conversation_entries').values({ conversation_id, position, id, type, entry, memo }),
);

/** Of a conversation that counts them already. */
export async function insertEntries(
  tx: Tx,
  conversationId: string,
  first: number,
  entries: readonly StoredEntry[],
): Promise<void> {
  const [only] = entries;
  if (only && entries.length === 1) {
    const { entry, memo } = only;
    const [text, memoText] = [JSON.stringify(entry), memo === null ? null : JSON.stringify(memo)];
    await insertEntry(tx, conversationId, first, entry.id, entry.type, text, memoText);
    return;
  }
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
