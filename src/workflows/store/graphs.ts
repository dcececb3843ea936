import type { ColumnType, Selectable } from 'kysely';
import type { Db, Tables } from '../../kit/db/index.ts';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    /** The graph of a registration, drawn by its worker; `error` when that failed. */
    workflow_graphs: {
      registration_id: string;
      workspace_id: string;
      version: number;
      graph: ColumnType<Record<string, unknown> | null, string | null, string | null>;
      error: string | null;
      updated_at: string;
    };
  }
}

export type GraphRow = Selectable<Tables['workflow_graphs']>;

export async function upsertGraph(db: Db, row: GraphRow): Promise<void> {
  const values = { ...row, graph: row.graph && JSON.stringify(row.graph) };
  const { registration_id: _id, ...changed } = values;
  await db
    .insertInto('workflow_graphs')
    .values(values)
    .onConflict((conflict) => conflict.column('registration_id').doUpdateSet(changed))
    .execute();
}

export function findGraph(db: Db, workspaceId: string, registrationId: string): Promise<GraphRow | undefined> {
  return db
    .selectFrom('workflow_graphs')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('registration_id', '=', registrationId)
    .executeTakeFirst();
}
