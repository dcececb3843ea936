import type { Selectable } from 'kysely';
import type { Tables, Tx } from '../../../../kit/db/index.ts';
import '../tables.ts';

type Grant = Selectable<Tables['workflow_rate_grants']>;
type Bucket = Pick<Grant, 'workspace_id' | 'deployment_name' | 'key'>;

/** The newest grants after a time, newest first. */
export function listGrants(tx: Tx, { workspace_id, deployment_name, key }: Bucket, afterMs: number, limit: number) {
  return tx
    .selectFrom('workflow_rate_grants')
    .select('at_ms')
    .where('workspace_id', '=', workspace_id)
    .where('deployment_name', '=', deployment_name)
    .where('key', '=', key)
    .where('at_ms', '>', afterMs)
    .orderBy('at_ms', 'desc')
    .limit(limit)
    .execute();
}

export async function insertGrant(tx: Tx, grant: Grant): Promise<void> {
  await tx.insertInto('workflow_rate_grants').values(grant).execute();
}

export async function deleteGrants(
  tx: Tx,
  { workspace_id, deployment_name, key }: Bucket,
  upToMs: number,
): Promise<void> {
  await tx
    .deleteFrom('workflow_rate_grants')
    .where('workspace_id', '=', workspace_id)
    .where('deployment_name', '=', deployment_name)
    .where('key', '=', key)
    .where('at_ms', '<=', upToMs)
    .execute();
}
