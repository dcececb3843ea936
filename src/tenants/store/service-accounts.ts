import { contains, type Db, findPlace, isFrom, rowsOf, type Searched, type Tx } from '../../kit/db/index.ts';
import type { WorkspaceRole } from '../schema.ts';

export type ServiceAccountRow = {
  id: string;
  organization_id: string;
  workspace_id: string;
  name: string;
  description: string | null;
  roles: WorkspaceRole[];
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
};

declare module '../../kit/db/tables.ts' {
  interface Tables {
    service_accounts: ServiceAccountRow;
  }
}

export async function insertServiceAccount(tx: Tx, row: ServiceAccountRow): Promise<void> {
  await tx.insertInto('service_accounts').values(row).execute();
}

/** Not one that was deleted. */
export function findServiceAccount(db: Db, organizationId: string, id: string): Promise<ServiceAccountRow | undefined> {
  return db
    .selectFrom('service_accounts')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

export type ServiceAccountList = {
  organizationId: string;
  workspaceId?: string | undefined;
  includesDeleted: boolean;
  text?: string | undefined;
  /** All that the text may find are among these accounts. */
  among?: readonly string[] | undefined;
  order: 'asc' | 'desc';
  offset: number;
  limit: number;
};

export const searchedServiceAccounts = (organizationId: string): Searched => ({
  list: 'service_accounts',
  scope: { column: 'organization_id', id: organizationId },
  texts: ['lower(name)', 'lower(description)'],
});

export async function listServiceAccounts(db: Db, list: ServiceAccountList): Promise<ServiceAccountRow[]> {
  const { workspaceId, text, order } = list;
  const accepts = ([isInUse]: readonly string[]) => list.includesDeleted || isInUse === '1';
  const isWhole = workspaceId === undefined && !text;
  const of = isWhole ? { list: 'service_accounts', scope: list.organizationId, accepts } : undefined;
  const place = await findPlace(db, of, list.offset, order);
  if (!place) return [];
  return rowsOf(db, 'service_accounts', list.among)
    .selectAll()
    .where('organization_id', '=', list.organizationId)
    .$if(workspaceId !== undefined, (query) => query.where('workspace_id', '=', workspaceId ?? ''))
    .$if(!list.includesDeleted, (query) => query.where('deleted_at', 'is', null))
    .$if(!!text, (query) =>
      query.where((eb) => eb.or([contains('name', text ?? ''), contains('description', text ?? '')])),
    )
    .where(isFrom('created_at', place, order))
    .orderBy('created_at', order)
    .orderBy('id', order)
    .offset(place.offset)
    .limit(list.limit)
    .execute();
}

export async function updateServiceAccount(
  tx: Tx,
  id: string,
  set: Partial<Pick<ServiceAccountRow, 'description' | 'roles' | 'deleted_at'>> & { updated_at: string },
): Promise<void> {
  await tx.updateTable('service_accounts').set(set).where('id', '=', id).execute();
}
