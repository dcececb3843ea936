import type { Db, Tx } from '../../kit/db/index.ts';
import type { Plan } from '../schema.ts';
import type { OrganizationRow } from './tables.ts';

export async function insertOrganization(db: Db, row: OrganizationRow): Promise<void> {
  await db.insertInto('organizations').values(row).execute();
}

export function listOrganizations(db: Db) {
  return db.selectFrom('organizations').selectAll().orderBy('created_at').execute();
}

/** Two at most, by id or name; without either, of all. */
export function listOrganizationsNamed(db: Db, given: string | undefined) {
  return db
    .selectFrom('organizations')
    .select(['id', 'name'])
    .$if(given !== undefined, (query) =>
      query.where((eb) => eb.or([eb('id', '=', given ?? ''), eb('name', '=', given ?? '')])),
    )
    .limit(2)
    .execute();
}

export function findOrganization(db: Db, id: string) {
  return db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function updatePlan(db: Db, id: string, plan: Plan): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('organizations')
    .set({ plan })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function updateSignInRules(
  tx: Tx,
  id: string,
  set: Required<Pick<OrganizationRow, 'requires_second_factor' | 'required_provider'>>,
): Promise<void> {
  await tx.updateTable('organizations').set(set).where('id', '=', id).execute();
}

/** Oldest first; with an organization, at most that one. */
export function listOrganizationsOfUser(
  db: Db,
  userId: string,
  { offset, limit } = { offset: 0, limit: 100 },
  organizationId?: string,
) {
  return db
    .selectFrom('organizations')
    .selectAll()
    .where('id', 'in', (eb) =>
      eb.selectFrom('organization_members').select('organization_id').where('user_id', '=', userId),
    )
    .$if(organizationId !== undefined, (query) => query.where('id', '=', organizationId ?? ''))
    .orderBy('created_at')
    .orderBy('id')
    .offset(offset)
    .limit(limit)
    .execute();
}
