import type { Db, Tx } from '../../kit/db/index.ts';
import type { UseRow } from './tables.ts';

/** Adds to what is stored. */
export async function addUse(tx: Tx, row: UseRow): Promise<void> {
  await tx
    .insertInto('connector_uses')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['connector_id', 'organization_id', 'workspace_id', 'user_id'])
        .doUpdateSet(({ eb, ref, fn }) => ({
          calls: eb('connector_uses.calls', '+', ref('excluded.calls')),
          failures: eb('connector_uses.failures', '+', ref('excluded.failures')),
          last_used_at: ref('excluded.last_used_at'),
          last_failed_at: fn.coalesce('excluded.last_failed_at', 'connector_uses.last_failed_at'),
          last_error: fn.coalesce('excluded.last_error', 'connector_uses.last_error'),
        })),
    )
    .execute();
}

/** Whose uses: of one user, of a workspace, or of the whole organization. */
export type UsesOf = {
  connector_id: string;
  organization_id: string;
  workspace_id?: string | undefined;
  user_id?: string | undefined;
};

function usesOf(db: Db, { connector_id, organization_id, workspace_id, user_id }: UsesOf) {
  return db
    .selectFrom('connector_uses')
    .where('connector_id', '=', connector_id)
    .where('organization_id', '=', organization_id)
    .$if(workspace_id !== undefined, (query) => query.where('workspace_id', '=', workspace_id ?? ''))
    .$if(user_id !== undefined, (query) => query.where('user_id', '=', user_id ?? ''));
}

/** Newest first. */
export function listUses(db: Db, of: UsesOf, limit: number): Promise<UseRow[]> {
  return usesOf(db, of).selectAll().orderBy('last_used_at', 'desc').orderBy('user_id').limit(limit).execute();
}

export async function sumUses(db: Db, of: UsesOf): Promise<{ users: number; calls: number; failures: number }> {
  const { users, calls, failures } = await usesOf(db, of)
    .select(({ fn }) => [
      fn.count<number>('user_id').distinct().as('users'),
      fn.sum<number | null>('calls').as('calls'),
      fn.sum<number | null>('failures').as('failures'),
    ])
    .executeTakeFirstOrThrow();
  return { users: Number(users), calls: Number(calls ?? 0), failures: Number(failures ?? 0) };
}

/** Those that are still there. */
export async function findConnectorIds(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.selectFrom('connectors').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}
