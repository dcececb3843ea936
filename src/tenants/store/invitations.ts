import { sql } from 'kysely';
import { contains, type Db, type Tx } from '../../kit/db/index.ts';
import type { InvitationRow } from './tables.ts';

/** An address has one invitation per organization, so a second one updates the first. */
export function insertInvitation(tx: Tx, row: InvitationRow): Promise<{ id: string }> {
  const { id: _, created_at: __, ...renewed } = row;
  return tx
    .insertInto('invitations')
    .values(row)
    .onConflict((conflict) => conflict.columns(['organization_id', 'email']).doUpdateSet(renewed))
    .returning('id')
    .executeTakeFirstOrThrow();
}

export function findInvitation(db: Db, id: string) {
  return db
    .selectFrom('invitations')
    .innerJoin('organizations', 'organizations.id', 'invitations.organization_id')
    .selectAll('invitations')
    .select('organizations.name as organization_name')
    .where('invitations.id', '=', id)
    .executeTakeFirst();
}

export function findInvitationOf(db: Db, organizationId: string, email: string): Promise<InvitationRow | undefined> {
  return db
    .selectFrom('invitations')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('email', '=', email)
    .executeTakeFirst();
}

/** The invitations of an address in all organizations. */
export function listInvitationsOfAddress(db: Db, email: string) {
  return db
    .selectFrom('invitations')
    .innerJoin('organizations', 'organizations.id', 'invitations.organization_id')
    .select(['invitations.id', 'invitations.expires_at', 'invitations.organization_id'])
    .select('organizations.name as organization_name')
    .where('invitations.email', '=', email)
    .orderBy('invitations.created_at')
    .orderBy('invitations.id')
    .execute();
}

type InvitationList = { email?: string | undefined; offset?: number; limit?: number };

/** Oldest first. */
export function listInvitations(
  db: Db,
  organizationId: string,
  { email, offset = 0, limit = -1 }: InvitationList = {},
) {
  return db
    .selectFrom('invitations')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .$if(email !== undefined, (query) => query.where(contains('email', email ?? '')))
    .orderBy('created_at')
    .orderBy('id')
    .$if(limit >= 0, (query) => query.offset(offset).limit(limit))
    .execute();
}

export async function countInvitations(db: Db, organizationId: string, email: string): Promise<number> {
  const { count } = await db
    .selectFrom('invitations')
    .select(sql<number>`count(*)`.as('count'))
    .where('organization_id', '=', organizationId)
    .where(contains('email', email))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns the invitation if this call deleted it. */
export function deleteInvitation(tx: Tx, organizationId: string, id: string): Promise<InvitationRow | undefined> {
  return tx
    .deleteFrom('invitations')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteInvitationOf(tx: Tx, organizationId: string, email: string): Promise<void> {
  await tx.deleteFrom('invitations').where('organization_id', '=', organizationId).where('email', '=', email).execute();
}
