import { sql } from 'kysely';
import type { Db, Tx } from '../../kit/db/index.ts';
import type { UserRow } from './tables.ts';

/** The address that people see; a member who has not accepted yet and a service account have a placeholder in `email`. */
export const shownEmail = sql<string>`coalesce(users.pending_email, users.service_name, users.email)`;

const lower = (column: 'email' | 'pending_email') => sql<string>`lower(${sql.ref(`users.${column}`)})`;

/** The account of an address. New addresses are stored in lower case; older ones may not be. */
export function findUserByAddress(db: Db, email: string) {
  return db.selectFrom('users').selectAll().where(lower('email'), '=', email.toLowerCase()).executeTakeFirst();
}

export function findUser(db: Db, id: string) {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The member of the organization with this address, whether they have accepted or not. */
export function findMemberByAddress(db: Db, organizationId: string, email: string) {
  const address = email.toLowerCase();
  return db
    .selectFrom('users')
    .selectAll('users')
    .where((eb) => eb.or([eb(lower('email'), '=', address), eb(lower('pending_email'), '=', address)]))
    .where('users.id', 'in', (eb) =>
      eb.selectFrom('organization_members').select('user_id').where('organization_id', '=', organizationId),
    )
    .executeTakeFirst();
}

/** The memberships that wait for the owner of this address. */
export function listPendingMemberships(db: Db, email: string) {
  return db
    .selectFrom('users')
    .innerJoin('organization_members', 'organization_members.user_id', 'users.id')
    .innerJoin('organizations', 'organizations.id', 'organization_members.organization_id')
    .select(['users.id', 'organizations.id as organization_id', 'organizations.name as organization_name'])
    .distinct()
    .where(lower('pending_email'), '=', email.toLowerCase())
    .orderBy('users.id')
    .execute();
}

/** A member of the past who had not accepted. */
export function findUnusedPending(db: Db, email: string) {
  return db
    .selectFrom('users')
    .select('id')
    .where(lower('pending_email'), '=', email.toLowerCase())
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('organization_members')
            .select('user_id')
            .whereRef('organization_members.user_id', '=', 'users.id'),
        ),
      ),
    )
    .orderBy('created_at')
    .executeTakeFirst();
}

/** False when another user has the address. */
export async function insertUser(db: Db, row: UserRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function updateUser(tx: Tx, userId: string, set: Partial<Omit<UserRow, 'id' | 'created_at'>>) {
  await tx.updateTable('users').set(set).where('id', '=', userId).execute();
}

/** Whether the user is a member of an organization other than this one; without one, of any. */
export async function belongsElsewhere(db: Db, organizationId: string, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('organization_members')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('organization_id', '<>', organizationId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Whether the account is more than a provider of this organization may speak for: it has a password, a second factor, or
 * another organization.
 */
export async function isProtected(db: Db, organizationId: string, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('users.id')
    .where('users.id', '=', userId)
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('users.password_hash', 'is not', null),
        exists(selectFrom('second_factors').select('user_id').whereRef('user_id', '=', 'users.id')),
        exists(
          selectFrom('organization_members')
            .select('user_id')
            .whereRef('user_id', '=', 'users.id')
            .where('organization_id', '<>', organizationId),
        ),
      ]),
    )
    .executeTakeFirst();
  return row !== undefined;
}

/** Gives the memberships, groups and keys that one user has in the organization to another, who keeps their own. */
export async function moveMembership(tx: Tx, organizationId: string, fromId: string, toId: string): Promise<void> {
  const workspaces = tx.selectFrom('workspaces').select('id').where('organization_id', '=', organizationId);
  const groups = tx.selectFrom('user_groups').select('id').where('organization_id', '=', organizationId);
  // Rows are inserted and deleted, not updated: the totals count those two.
  const roles = await tx
    .deleteFrom('organization_members')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', fromId)
    .returningAll()
    .execute();
  const places = await tx
    .deleteFrom('workspace_members')
    .where('user_id', '=', fromId)
    .where('workspace_id', 'in', workspaces)
    .returningAll()
    .execute();
  const memberships = await tx
    .deleteFrom('user_group_members')
    .where('user_id', '=', fromId)
    .where('group_id', 'in', groups)
    .returningAll()
    .execute();
  const moved = { user_id: toId };
  const present = await tx
    .selectFrom('organization_members')
    .select('created_at')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', toId)
    .executeTakeFirst();
  for (const row of roles)
    await tx
      .insertInto('organization_members')
      .values({ ...row, ...moved, ...present })
      .onConflict((on) => on.doNothing())
      .execute();
  for (const row of places)
    await tx
      .insertInto('workspace_members')
      .values({ ...row, ...moved })
      .onConflict((on) => on.doNothing())
      .execute();
  for (const row of memberships)
    await tx
      .insertInto('user_group_members')
      .values({ ...row, ...moved })
      .onConflict((on) => on.doNothing())
      .execute();
  await tx
    .updateTable('api_keys')
    .set(moved)
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', fromId)
    .execute();
}
