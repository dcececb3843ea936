import type { Db } from '../../kit/db/index.ts';
import type { ConversationRow, Owner } from './conversations.ts';

export type BranchRow = Pick<ConversationRow, 'id' | 'settings' | 'created_at' | 'updated_at' | 'entry_count'> & {
  /** How many entries are the same, from the first on. */
  shared: number;
};

/** Conversations with the same first entries, newest first: a restart copies entries with their ids and positions. */
export async function listBranches(db: Db, owner: Owner, id: string, limit: number): Promise<BranchRow[]> {
  const rows = await db
    .selectFrom('conversations as c')
    .innerJoin('conversation_entries as first', (join) =>
      join.onRef('first.conversation_id', '=', 'c.id').on('first.position', '=', 0),
    )
    .select(['c.id', 'c.settings', 'c.created_at', 'c.updated_at', 'c.entry_count'])
    .where('c.workspace_id', '=', owner.workspace_id)
    .where('c.user_id', '=', owner.user_id)
    .where('c.id', '!=', id)
    .where('first.id', '=', (eb) =>
      eb
        .selectFrom('conversation_entries as own')
        .select('own.id')
        .where('own.conversation_id', '=', id)
        .where('own.position', '=', 0),
    )
    .orderBy('c.created_at', 'desc')
    .orderBy('c.id', 'desc')
    .limit(limit)
    .execute();
  if (rows.length === 0) return [];
  const counted = await db
    .selectFrom('conversation_entries as own')
    .innerJoin('conversation_entries as other', (join) =>
      join.onRef('other.position', '=', 'own.position').onRef('other.id', '=', 'own.id'),
    )
    .select((eb) => ['other.conversation_id', eb.fn.countAll<number>().as('shared')])
    .where('own.conversation_id', '=', id)
    .where(
      'other.conversation_id',
      'in',
      rows.map((row) => row.id),
    )
    .groupBy('other.conversation_id')
    .execute();
  const shared = new Map(counted.map((row) => [row.conversation_id, Number(row.shared)]));
  return rows.map((row) => ({ ...row, shared: shared.get(row.id) ?? 0 }));
}
