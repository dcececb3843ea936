import { createHash } from 'node:crypto';
import type { Clock } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import type { Database, Db, Tx } from '../../kit/db/index.ts';
import { wrongExecutionToken } from '../errors.ts';
import {
  bindRunToken,
  deleteOpenTokens,
  deleteRunToken,
  findTokenOfHash,
  findTokenOfRun,
  insertRunToken,
  type RunTokenRow,
} from '../store/run-tokens.ts';

const OPEN_KEPT_MS = 24 * 60 * 60 * 1000;

export type TokenRun = { workspaceId: string; executionId: string; runId: string };

/**
 * A secret that travels with the input of a run, so that whoever shows it, or its hash, has been given that run to do.
 * Of starts we make it ourselves; of what workers start themselves (children, continued runs) they do.
 */
export function createExecutionTokens({ database, now }: { database: Database; now: Clock }) {
  const { db } = database;

  /** The token's row, bound to the run. Throws when either is somebody else's already. */
  async function claim(tx: Tx, { workspaceId, executionId, runId }: TokenRun, hash: string): Promise<RunTokenRow> {
    const bound = await findTokenOfRun(tx, workspaceId, runId);
    if (bound) {
      if (bound.token_hash !== hash) throw wrongExecutionToken(executionId);
      return bound;
    }
    const known = await findTokenOfHash(tx, workspaceId, hash);
    if (known && (known.execution_id !== executionId || known.run_id !== null)) throw wrongExecutionToken(executionId);
    if (known) await bindRunToken(tx, known, runId);
    const row = { ...rowOf(workspaceId, executionId, hash), run_id: runId };
    if (!known) await insertRunToken(tx, row);
    return known ?? row;
  }

  const rowOf = (workspace_id: string, execution_id: string, token_hash: string): RunTokenRow => ({
    workspace_id,
    token_hash,
    execution_id,
    run_id: null,
    user_id: null,
    created_ms: now(),
  });

  return {
    claim,

    /** For an execution that is about to start; its run has no id before the cluster gives it one. */
    async issue(start: { workspaceId: string; executionId: string; userId: string | null }): Promise<string> {
      const token = uuid();
      const row = rowOf(start.workspaceId, start.executionId, hashToken(token));
      await insertRunToken(db, { ...row, user_id: start.userId });
      return token;
    },

    /** Of a start that came to nothing. */
    revoke: (workspaceId: string, token: string) => deleteRunToken(db, workspaceId, hashToken(token)),

    find: (handle: Db, workspaceId: string, token: string) => findTokenOfHash(handle, workspaceId, hashToken(token)),

    prune: () => deleteOpenTokens(db, now() - OPEN_KEPT_MS),
  };
}

export type ExecutionTokens = ReturnType<typeof createExecutionTokens>;

/** As the official workers send it. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
