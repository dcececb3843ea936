import { type ColumnType, type Selectable, sql } from 'kysely';
import { type Database, type Db, holdsJson, type Tables, type Tx } from '../../kit/db/index.ts';
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
      /** The run that may append to it now. */
      run_id: string | null;
      created_at: string;
      updated_at: string;
    };
  }
}

export type ConversationRow = Selectable<Tables['conversations']>;
/** Whose conversations: one user's in one workspace. */
export type Owner = { workspace_id: string; user_id: string };

export type NewConversation = Omit<ConversationRow, 'entry_count'>;

export async function insertConversation(tx: Tx, row: NewConversation): Promise<void> {
  await tx
    .insertInto('conversations')
    .values({
      ...row,
      settings: JSON.stringify(row.settings),
      metadata: row.metadata === null ? null : JSON.stringify(row.metadata),
      entry_count: 0,
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

export function listConversations(
  db: Db,
  kind: Database['kind'],
  owner: Owner,
  page: { offset: number; limit: number; metadata: Record<string, unknown> },
): Promise<ConversationRow[]> {
  let query = db
    .selectFrom('conversations')
    .selectAll()
    .where('workspace_id', '=', owner.workspace_id)
    .where('user_id', '=', owner.user_id);
  for (const [key, value] of Object.entries(page.metadata))
    query = query.where(holdsJson(kind, sql.ref('conversations.metadata'), key, value));
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(page.limit).offset(page.offset).execute();
}

/** Lets one run append. False when another has it, or there is no such conversation. */
export async function claimConversation(tx: Tx, owner: Owner, id: string, runId: string, at: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('conversations')
    .set({ run_id: runId, updated_at: at })
    .where('id', '=', id)
    .where('workspace_id', '=', owner.workspace_id)
    .where('user_id', '=', owner.user_id)
    .where('run_id', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Ends the run's right to append. False when it had none: the conversation was deleted. */
export async function releaseConversation(tx: Tx, id: string, runId: string, at: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('conversations')
    .set({ run_id: null, updated_at: at })
    .where('id', '=', id)
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
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

/** Whatever its owner: for upkeep. */
export async function conversationExists(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom('conversations').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}
