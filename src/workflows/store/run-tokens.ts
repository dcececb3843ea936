import type { Selectable } from 'kysely';
import type { Db, Tables, Tx } from '../../kit/db/index.ts';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    workflow_run_tokens: {
      workspace_id: string;
      token_hash: string;
      execution_id: string;
      /** Null from the start of an execution until its worker registers the run. */
      run_id: string | null;
      user_id: string | null;
      created_ms: number;
    };
  }
}

export type RunTokenRow = Selectable<Tables['workflow_run_tokens']>;

export async function insertRunToken(db: Db, row: RunTokenRow): Promise<void> {
  await db.insertInto('workflow_run_tokens').values(row).execute();
}

export function findTokenOfHash(db: Db, workspaceId: string, tokenHash: string): Promise<RunTokenRow | undefined> {
  return db
    .selectFrom('workflow_run_tokens')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
}

export function findTokenOfRun(db: Db, workspaceId: string, runId: string): Promise<RunTokenRow | undefined> {
  return db
    .selectFrom('workflow_run_tokens')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .executeTakeFirst();
}

/** The token of a start whose run no worker has registered yet. */
export function findOpenToken(db: Db, workspaceId: string, executionId: string): Promise<RunTokenRow | undefined> {
  return db
    .selectFrom('workflow_run_tokens')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('execution_id', '=', executionId)
    .where('run_id', 'is', null)
    .orderBy('created_ms', 'desc')
    .executeTakeFirst();
}

export async function bindRunToken(tx: Tx, { workspace_id, token_hash }: RunTokenRow, runId: string): Promise<void> {
  await tx
    .updateTable('workflow_run_tokens')
    .set({ run_id: runId })
    .where('workspace_id', '=', workspace_id)
    .where('token_hash', '=', token_hash)
    .execute();
}

/** Of starts that failed, or whose worker never came. */
export async function deleteOpenTokens(db: Db, createdBeforeMs: number): Promise<void> {
  await db
    .deleteFrom('workflow_run_tokens')
    .where('run_id', 'is', null)
    .where('created_ms', '<', createdBeforeMs)
    .execute();
}

export async function deleteRunToken(db: Db, workspaceId: string, tokenHash: string): Promise<void> {
  await db
    .deleteFrom('workflow_run_tokens')
    .where('workspace_id', '=', workspaceId)
    .where('token_hash', '=', tokenHash)
    .execute();
}
