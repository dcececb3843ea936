import { createHash, createHmac } from 'node:crypto';
import type { Db, Tx } from '../../kit/db/index.ts';
import { workflowErrors } from '../errors.ts';
import { findRunToken, insertRunToken } from '../store/run-tokens.ts';

type Run = { workspace_id: string; execution_id: string; run_id: string };

/**
 * A secret in the input of a run: it proves that a worker was given the run. For our starts it derives from the run id,
 * so a retry has the same one. Workers create it for children and continued runs; the first report sets it.
 */
export function createExecutionTokens(secret: string) {
  /** Official workers require a UUID. */
  function tokenOf(runId: string): string {
    const bytes = createHmac('sha256', secret).update(`execution-token ${runId}`).digest().subarray(0, 16);
    bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
    const hex = bytes.toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  return {
    tokenOf,

    /** Throws when the run has another token, or the token belongs to another run. */
    async claim(tx: Tx, run: Run, hash: string, isOurStart: boolean): Promise<void> {
      if (isOurStart && hash !== hashToken(tokenOf(run.run_id)))
        throw workflowErrors.execution_token_mismatch(run.execution_id);
      if (await insertRunToken(tx, { workspace_id: run.workspace_id, token_hash: hash, run_id: run.run_id })) return;
      const known = await findRunToken(tx, run.workspace_id, hash);
      if (known?.run_id !== run.run_id) throw workflowErrors.execution_token_mismatch(run.execution_id);
    },

    /** The id of the run with this token. */
    async findRun(db: Db, workspaceId: string, token: string): Promise<string | undefined> {
      return (await findRunToken(db, workspaceId, hashToken(token)))?.run_id;
    },
  };
}

export type ExecutionTokens = ReturnType<typeof createExecutionTokens>;

/** The hash that official workers send. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
