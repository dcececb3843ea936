import type { Db } from '../../kit/db/index.ts';

type PayloadRow = { sha256: string; workspace_id: string; packed_ms: number; bytes: number };

declare module '../../kit/db/tables.ts' {
  interface Tables {
    /** Stored blobs and when they were last packed; executions that started later do not use them. */
    workflow_payloads: PayloadRow;
  }
}

export async function upsertPayload(db: Db, row: PayloadRow): Promise<void> {
  const { packed_ms, bytes } = row;
  await db
    .insertInto('workflow_payloads')
    .values(row)
    .onConflict((conflict) => conflict.columns(['sha256', 'workspace_id']).doUpdateSet({ packed_ms, bytes }))
    .execute();
}

export function listPayloads(db: Db, sha256s: string[]): Promise<PayloadRow[]> {
  return db.selectFrom('workflow_payloads').selectAll().where('sha256', 'in', sha256s).execute();
}

export async function deletePayloads(db: Db, sha256s: string[]): Promise<void> {
  if (sha256s.length > 0) await db.deleteFrom('workflow_payloads').where('sha256', 'in', sha256s).execute();
}
