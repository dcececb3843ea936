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
): Promise<Pick<ToolRow, 'name' | 'digest' | 'held_digest'>[]> {
  return db
    .selectFrom('connector_tools')
    .select(['name', 'digest', 'held_digest'])
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
        .doUpdateSet({ digest, definition, trusted_by, seen_at, held_digest: null, held_at: null }),
    )
    .execute();
}

/** Null when the tool is as it was trusted again. */
export async function updateHeld(
  db: Db,
  { organization_id, connector_id, name }: Pick<ToolRow, 'organization_id' | 'connector_id' | 'name'>,
  held: { held_digest: string | null; held_at: string | null },
): Promise<void> {
  await db
    .updateTable('connector_tools')
    .set(held)
    .where('organization_id', '=', organization_id)
    .where('connector_id', '=', connector_id)
    .where('name', '=', name)
    .execute();
}

export type HeldTool = { connector_id: string; name: string; held_at: string };

/** Tools that are held back, of all connectors of the organization. */
export async function listHeldTools(db: Db, organizationId: string, limit: number): Promise<HeldTool[]> {
  const rows = await db
    .selectFrom('connector_tools')
    .select(['connector_id', 'name', 'held_at'])
    .where('organization_id', '=', organizationId)
    .where('held_at', 'is not', null)
    .orderBy('held_at', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ held_at, ...row }) => ({ ...row, held_at: held_at ?? '' }));
}
