import type { Db } from '../../kit/db/index.ts';
import type { ToolRow } from './tables.ts';

export function listTrustedTools(db: Db, organizationId: string, connectorId: string): Promise<ToolRow[]> {
  return db
    .selectFrom('connector_tools')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('connector_id', '=', connectorId)
    .execute();
}

/** Without the definitions, which may be long: a call compares digests only. */
export function listTrustedDigests(
  db: Db,
  organizationId: string,
  connectorId: string,
): Promise<Pick<ToolRow, 'name' | 'digest'>[]> {
  return db
    .selectFrom('connector_tools')
    .select(['name', 'digest'])
    .where('organization_id', '=', organizationId)
    .where('connector_id', '=', connectorId)
    .execute();
}

/** The first description of a tool is trusted; another process may have been first. */
export async function insertTools(db: Db, rows: readonly ToolRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto('connector_tools')
    .values(rows.map((row) => ({ ...row, definition: JSON.stringify(row.definition) })))
    .onConflict((conflict) => conflict.columns(['connector_id', 'organization_id', 'name']).doNothing())
    .execute();
}

export async function replaceTool(db: Db, row: ToolRow): Promise<void> {
  const { digest, trusted_by, seen_at } = row;
  const definition = JSON.stringify(row.definition);
  await db
    .insertInto('connector_tools')
    .values({ ...row, definition })
    .onConflict((conflict) =>
      conflict
        .columns(['connector_id', 'organization_id', 'name'])
        .doUpdateSet({ digest, definition, trusted_by, seen_at }),
    )
    .execute();
}
