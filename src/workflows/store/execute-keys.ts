import type { Selectable } from 'kysely';
import { type Db, isUniqueViolation, type Tables, type Tx } from '../../kit/db/index.ts';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    /** The run that a start with an Idempotency-Key created. */
    workflow_execute_keys: {
      principal: string;
      key: string;
      request_hash: string;
      execution_id: string;
      run_id: string;
      created_ms: number;
    };
  }
}

export type ExecuteKeyRow = Selectable<Tables['workflow_execute_keys']>;

export class KeyTaken extends Error {}

export function findExecuteKey(
  db: Db,
  principal: string,
  key: string,
  keptSinceMs: number,
): Promise<ExecuteKeyRow | undefined> {
  return db
    .selectFrom('workflow_execute_keys')
    .selectAll()
    .where('principal', '=', principal)
    .where('key', '=', key)
    .where('created_ms', '>=', keptSinceMs)
    .executeTakeFirst();
}

/** Throws KeyTaken when another start has the key. Expired keys are replaced. */
export async function insertExecuteKey(tx: Tx, row: ExecuteKeyRow, keptSinceMs: number): Promise<void> {
  await tx
    .deleteFrom('workflow_execute_keys')
    .where('principal', '=', row.principal)
    .where('key', '=', row.key)
    .where('created_ms', '<', keptSinceMs)
    .execute();
  try {
    await tx.insertInto('workflow_execute_keys').values(row).execute();
  } catch (error) {
    throw isUniqueViolation(error) ? new KeyTaken() : error;
  }
}

export async function deleteExecuteKeys(db: Db, beforeMs: number): Promise<void> {
  await db.deleteFrom('workflow_execute_keys').where('created_ms', '<', beforeMs).execute();
}
