import type { Db, Tx } from '../../kit/db/index.ts';
import type { FeedbackRow } from './tables.ts';
import './tables.ts';

/** One of each user; the newest says what they think. */
export async function upsertFeedback(tx: Tx, row: FeedbackRow): Promise<FeedbackRow> {
  const { rating, note, updated_at } = row;
  return tx
    .insertInto('span_feedback')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'span_id', 'user_id']).doUpdateSet({ rating, note, updated_at }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteFeedback(tx: Tx, workspaceId: string, spanId: string, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('span_feedback')
    .where('workspace_id', '=', workspaceId)
    .where('span_id', '=', spanId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export function listFeedback(db: Db, workspaceId: string, spanId: string, limit: number): Promise<FeedbackRow[]> {
  return db
    .selectFrom('span_feedback')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('span_id', '=', spanId)
    .orderBy('created_at')
    .orderBy('user_id')
    .limit(limit)
    .execute();
}

/** Some of what a user thinks. Returns whether there may be more. */
export async function deleteFeedbackOfUser(
  tx: Tx,
  workspaceId: string,
  userId: string,
  rows: number,
): Promise<boolean> {
  const found = await tx
    .selectFrom('span_feedback')
    .select('span_id')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .limit(rows)
    .execute();
  if (found.length === 0) return false;
  const ids = found.map(({ span_id }) => span_id);
  await tx
    .deleteFrom('span_feedback')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('span_id', 'in', ids)
    .execute();
  return found.length === rows;
}
