import type { Selectable } from 'kysely';
import type { Db, Tables, Tx } from '../../kit/db/index.ts';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    workflow_run_tokens: { workspace_id: string; token_hash: string; run_id: string };
  }
}

type RunTokenRow = Selectable<Tables['workflow_run_tokens']>;

/** False when the run or the token is taken. */
export async function insertRunToken(tx: Tx, row: RunTokenRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('workflow_run_tokens')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('run_id')
    .executeTakeFirst();
  return inserted !== undefined;
}

export function findRunToken(db: Db, workspaceId: string, tokenHash: string): Promise<RunTokenRow | undefined> {
  return db
    .selectFrom('workflow_run_tokens')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
}
