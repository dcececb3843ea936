import type { Db } from '../../kit/db/index.ts';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    /** Stored blobs and when they were last packed; executions that started later do not use them. */
    workflow_payloads: { sha256: string; workspace_id: string; packed_ms: number };
  }
}

export async function upsertPayload(db: Db, workspaceId: string, sha256: string, packedMs: number): Promise<void> {
  await db
    .insertInto('workflow_payloads')
    .values({ sha256, workspace_id: workspaceId, packed_ms: packedMs })
    .onConflict((conflict) => conflict.columns(['sha256', 'workspace_id']).doUpdateSet({ packed_ms: packedMs }))
    .execute();
}

export function listPayloads(
  db: Db,
  sha256s: string[],
): Promise<{ sha256: string; workspace_id: string; packed_ms: number }[]> {
  return db.selectFrom('workflow_payloads').selectAll().where('sha256', 'in', sha256s).execute();
}

export async function deletePayloads(db: Db, sha256s: string[]): Promise<void> {
  if (sha256s.length > 0) await db.deleteFrom('workflow_payloads').where('sha256', 'in', sha256s).execute();
}
