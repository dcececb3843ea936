import type { Database, Tx } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { ClusterRuns } from '../engines/temporal/cluster-runs.ts';
import { workflowErrors } from '../errors.ts';
import type {
  DeleteSearchKeysRequest,
  UpsertSearchKeysRequest,
  UpsertSearchKeysResponse,
} from '../schema/worker-executions.ts';
import type { RunRow } from '../store/run-tables.ts';
import { findRunToken } from '../store/run-tokens.ts';
import { findRunRow } from '../store/runs.ts';
import { deleteSearchKeys, listSearchKeys, upsertSearchKeys } from '../store/search-keys.ts';

const KEYS_MAX = 20;
const KEY_CHARACTERS_MAX = 256;
const VALUE_CHARACTERS_MAX = 8192;
/** Keys of the official SDK, beside those of its users. */
const RESERVED = 'internal.';

/** Search keys that workers set on their runs. */
export function createWorkerSearchKeys(deps: { database: Database; cluster: ClusterRuns | undefined }) {
  const { database, cluster } = deps;

  function mustBe(executionId: string, run: RunRow | undefined): RunRow {
    if (run?.execution_id !== executionId) throw workflowErrors.execution_not_found(executionId);
    return run;
  }

  /** Finds the run by its Temporal id, or by the hash of its token. */
  async function find(tx: Tx, scope: Scope, clusterRunId?: string | null, hash?: string | null) {
    if (!cluster) throw workflowErrors.temporal_required();
    if (clusterRunId) return cluster.find(tx, scope.workspace_id, clusterRunId);
    const token = hash ? await findRunToken(tx, scope.workspace_id, hash) : undefined;
    return token && findRunRow(tx, scope.workspace_id, token.run_id);
  }

  return {
    upsert: (scope: Scope, executionId: string, request: UpsertSearchKeysRequest) =>
      database.transaction(async (tx) => {
        const found = await find(tx, scope, request.temporal_run_id, request.execution_token_hash);
        return keepSearchKeys(tx, mustBe(executionId, found), request.search_key_metadata ?? {});
      }),

    delete: (scope: Scope, executionId: string, { temporal_run_id, keys }: DeleteSearchKeysRequest) =>
      database.transaction(async (tx) => {
        const run = mustBe(executionId, await find(tx, scope, temporal_run_id));
        return { deleted_keys: await deleteSearchKeys(tx, run, keys ?? []) };
      }),
  };
}

/** Stores as many keys as the limits allow and reports the rest. An empty value removes the key. */
export async function keepSearchKeys(
  tx: Tx,
  run: { workspace_id: string; run_id: string },
  metadata: Record<string, string | null>,
): Promise<UpsertSearchKeysResponse> {
  const given = Object.entries(metadata);
  if (given.length === 0) return { metadata_status: 'ok', dropped_keys: [], truncated_keys: [] };
  const known = new Set(await listSearchKeys(tx, run.workspace_id, run.run_id));
  let room = KEYS_MAX - [...known].filter((key) => !key.startsWith(RESERVED)).length;
  const kept: [string, string][] = [];
  const dropped: string[] = [];
  const truncated: string[] = [];
  for (const [key, value] of given) {
    if (value === null) continue;
    const isNew = !known.has(key) && !key.startsWith(RESERVED);
    if (key.length === 0 || key.length > KEY_CHARACTERS_MAX || (isNew && room <= 0)) {
      dropped.push(key);
      continue;
    }
    if (isNew) room--;
    if (value.length > VALUE_CHARACTERS_MAX) truncated.push(key);
    kept.push([key, value.slice(0, VALUE_CHARACTERS_MAX)]);
  }
  await upsertSearchKeys(tx, run, kept);
  const emptied = given.flatMap(([key, value]) => (value === null ? [key] : []));
  await deleteSearchKeys(tx, run, emptied);
  const isWhole = dropped.length === 0 && truncated.length === 0;
  return { metadata_status: isWhole ? 'ok' : 'partial', dropped_keys: dropped, truncated_keys: truncated };
}

export type WorkerSearchKeys = ReturnType<typeof createWorkerSearchKeys>;
