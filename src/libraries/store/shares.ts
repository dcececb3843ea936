import { sql } from 'kysely';
import type { Database, Db, Tx } from '../../kit/db/index.ts';
import type { EntityType, ShareEnum } from '../schema.ts';
import type { ShareCounts, Viewer } from './libraries.ts';
import type { ShareRow } from './tables.ts';

export function listShares(db: Db, libraryId: string): Promise<ShareRow[]> {
  return db
    .selectFrom('library_shares')
    .selectAll()
    .where('library_id', '=', libraryId)
    .orderBy('created_at')
    .orderBy('share_with_uuid')
    .execute();
}

/** The roles that somebody gets by sharing. */
export async function listRolesOf(db: Db, libraryId: string, viewer: Viewer): Promise<ShareEnum[]> {
  const rows = await db
    .selectFrom('library_shares')
    .select('role')
    .where('library_id', '=', libraryId)
    .where(({ eb, or, and }) =>
      or([
        and([eb('share_with_type', '=', 'User'), eb('share_with_uuid', '=', viewer.userId)]),
        and([eb('share_with_type', '=', 'Workspace'), eb('share_with_uuid', '=', viewer.workspaceId)]),
        and([eb('share_with_type', '=', 'Org'), eb('share_with_uuid', '=', viewer.organizationId)]),
      ]),
    )
    .execute();
  return rows.map(({ role }) => role);
}

export async function countShares(db: Db, ids: string[]): Promise<Map<string, ShareCounts>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('library_shares')
    .select([
      'library_id',
      sql<number>`sum(case when share_with_type = 'User' then 1 else 0 end)`.as('users'),
      sql<number>`sum(case when share_with_type = 'Workspace' then 1 else 0 end)`.as('workspaces'),
      sql<string | null>`max(case when share_with_type = 'Org' then role end)`.as('org_role'),
    ])
    .where('library_id', 'in', ids)
    .groupBy('library_id')
    .execute();
  return new Map(
    rows.map(({ library_id, users, workspaces, org_role }) => [
      library_id,
      { users: Number(users), workspaces: Number(workspaces), org_role },
    ]),
  );
}

export async function upsertShare(tx: Tx, row: ShareRow): Promise<void> {
  await tx
    .insertInto('library_shares')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['library_id', 'share_with_type', 'share_with_uuid']).doUpdateSet({ role: row.role }),
    )
    .execute();
}

export function deleteShare(
  tx: Tx,
  libraryId: string,
  type: EntityType,
  entityId: string,
): Promise<ShareRow | undefined> {
  return tx
    .deleteFrom('library_shares')
    .where('library_id', '=', libraryId)
    .where('share_with_type', '=', type)
    .where('share_with_uuid', '=', entityId)
    .returningAll()
    .executeTakeFirst();
}

/** Shares with users who have left, and with workspaces that are gone. */
export async function deleteStaleShares(db: Database['db']): Promise<void> {
  await db
    .deleteFrom('library_shares')
    .where(({ or, and, not, exists, eb, selectFrom }) =>
      or([
        and([
          eb('share_with_type', '=', 'User'),
          not(
            exists(
              selectFrom('libraries')
                .innerJoin('organization_members', 'organization_members.organization_id', 'libraries.organization_id')
                .select('libraries.id')
                .whereRef('libraries.id', '=', 'library_shares.library_id')
                .whereRef('organization_members.user_id', '=', 'library_shares.share_with_uuid'),
            ),
          ),
        ]),
        and([
          eb('share_with_type', '=', 'Workspace'),
          not(
            exists(
              selectFrom('workspaces')
                .select('workspaces.id')
                .whereRef('workspaces.id', '=', 'library_shares.share_with_uuid'),
            ),
          ),
        ]),
      ]),
    )
    .execute();
}
