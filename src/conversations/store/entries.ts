import { type ColumnType, sql } from 'kysely';
import type { Db, Tx } from '../../kit/db/index.ts';
import type { Entry, MessageEntry } from '../schema/entries.ts';
import type { Memo, Noted } from '../schema/memo.ts';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    conversation_entries: {
      conversation_id: string;
      position: number;
      id: string;
      type: string;
      entry: ColumnType<Entry, string, string>;
      /** What the wire has no field for, and the next turn needs. */
      memo: ColumnType<Memo | null, string | null, string | null>;
    };
  }
}

// SQLite takes at most 32,766 parameters in a statement; a row has six.
const ROWS_PER_INSERT = 1000;

/**
 * Appends after the last entry and returns the position of the first new one. The conversation's row counts, and stays
 * locked until the commit. Undefined when the run has no right to append any more.
 */
export async function appendEntries(
  tx: Tx,
  conversationId: string,
  runId: string,
  entries: readonly Noted[],
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
  return first;
}

export function listEntries(db: Db, conversationId: string, from = 0): Promise<Noted[]> {
  return db
    .selectFrom('conversation_entries')
    .select(['entry', 'memo'])
    .where('conversation_id', '=', conversationId)
    .where('position', '>=', from)
    .orderBy('position')
    .execute();
}

export async function listMessages(db: Db, conversationId: string): Promise<MessageEntry[]> {
  const rows = await db
    .selectFrom('conversation_entries')
    .select('entry')
    .where('conversation_id', '=', conversationId)
    .where('type', 'in', ['message.input', 'message.output'])
    .orderBy('position')
    .execute();
  return rows.map(({ entry }) => entry as MessageEntry);
}

/** A confirmation is the only thing about an entry that changes. */
export async function updateEntry(tx: Tx, conversationId: string, entry: Entry): Promise<void> {
  await tx
    .updateTable('conversation_entries')
    .set({ entry: JSON.stringify(entry) })
    .where('conversation_id', '=', conversationId)
    .where('id', '=', entry.id)
    .execute();
}

/** Takes back what a run that came to nothing had appended. */
export async function deleteEntriesFrom(tx: Tx, conversationId: string, position: number): Promise<void> {
  await tx
    .deleteFrom('conversation_entries')
    .where('conversation_id', '=', conversationId)
    .where('position', '>=', position)
    .execute();
  await tx.updateTable('conversations').set({ entry_count: position }).where('id', '=', conversationId).execute();
}
