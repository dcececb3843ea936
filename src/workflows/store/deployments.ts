import { type ColumnType, type Selectable, type SqlBool, sql } from 'kysely';
import { type Db, isBeyond, type Tables, type Tx } from '../../kit/db/index.ts';
import type { DeploymentLocation } from '../schema/workers.ts';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    workflow_deployments: {
      id: string;
      workspace_id: string;
      name: string;
      created_at: string;
      updated_at: string;
    };
    workflow_workers: {
      deployment_id: string;
      name: string;
      location: ColumnType<DeploymentLocation | null, string | null, string | null>;
      created_at: string;
      updated_at: string;
      /** The time of the last heartbeat. */
      seen_ms: number;
    };
  }
}

export type DeploymentRow = Selectable<Tables['workflow_deployments']>;
export type WorkerRow = Selectable<Tables['workflow_workers']>;

export function findDeployment(db: Db, workspaceId: string, name: string): Promise<DeploymentRow | undefined> {
  return db
    .selectFrom('workflow_deployments')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Inserts the deployment if it is new. */
export async function upsertDeployment(tx: Tx, row: DeploymentRow): Promise<DeploymentRow> {
  return tx
    .insertInto('workflow_deployments')
    .values(row)
    .onConflict((conflict) => conflict.columns(['workspace_id', 'name']).doUpdateSet({ updated_at: row.updated_at }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function upsertWorker(tx: Tx, { location, ...row }: WorkerRow): Promise<void> {
  const values = { ...row, location: location === null ? null : JSON.stringify(location) };
  await tx
    .insertInto('workflow_workers')
    .values(values)
    .onConflict((conflict) =>
      conflict
        .columns(['deployment_id', 'name'])
        .doUpdateSet({ location: values.location, updated_at: row.updated_at, seen_ms: row.seen_ms }),
    )
    .execute();
}

/** False when the worker does not exist. */
export async function touchWorker(
  db: Db,
  deploymentId: string,
  name: string,
  seen: { seen_ms: number; updated_at: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('workflow_workers')
    .set(seen)
    .where('deployment_id', '=', deploymentId)
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export type DeploymentFilter = {
  prefix?: string | undefined;
  /** Those that have, or ever had, a worker for it. */
  workflowId?: string | undefined;
  /** Those with a worker that was seen later; for the workflow, if one is given. */
  seenSince?: number | undefined;
  orderBy: 'created_at' | 'updated_at';
  order: 'asc' | 'desc';
  after?: { at: string; id: string } | undefined;
  limit: number;
};

export async function listDeployments(db: Db, workspaceId: string, filter: DeploymentFilter): Promise<DeploymentRow[]> {
  const { after, orderBy, order, workflowId, seenSince } = filter;
  // Those with workers are few: they are found by their workers and then sorted, not looked for among all of the workspace.
  const isByWorkers = seenSince !== undefined;
  const plain = (column: 'workspace_id' | 'created_at' | 'updated_at') =>
    isByWorkers ? sql<string>`${sql.ref(column)} || ''` : sql.ref<string>(column);
  let query = db.selectFrom('workflow_deployments').selectAll().where(plain('workspace_id'), '=', workspaceId);
  // Subqueries, because a list of ids would have no bound.
  if (workflowId !== undefined && seenSince === undefined)
    query = query.where('id', 'in', (eb) =>
      eb.selectFrom('workflow_registrations').select('deployment_id').where('workflow_id', '=', workflowId),
    );
  if (isByWorkers)
    query = query.where('id', 'in', (eb) =>
      eb
        .selectFrom('workflow_workers as w')
        .select('w.deployment_id')
        .where('w.seen_ms', '>', seenSince)
        .$if(workflowId !== undefined, (serving) =>
          serving
            .innerJoin('workflow_worker_registrations as s', (join) =>
              join.onRef('w.deployment_id', '=', 's.deployment_id').onRef('w.name', '=', 's.worker_name'),
            )
            .innerJoin('workflow_registrations as r', 'r.id', 's.registration_id')
            .where('r.workflow_id', '=', workflowId ?? ''),
        ),
    );
  if (filter.prefix !== undefined) {
    const pattern = `${filter.prefix.replace(/[\\%_]/g, '\\$&')}%`;
    query = query.where(sql<SqlBool>`lower(name) like lower(${pattern}) escape '\\'`);
  }
  if (after) query = query.where(isBeyond(order, [plain(orderBy), 'id'], [after.at, after.id]));
  return query.limit(filter.limit).orderBy(plain(orderBy), order).orderBy('id', order).execute();
}

/** Sorted by name. */
export function listWorkers(
  db: Db,
  deploymentIds: string[],
  page: {
    after?: string | undefined;
    limit?: number | undefined;
    seen?: { since: number; active: boolean } | undefined;
  } = {},
): Promise<WorkerRow[]> {
  let query = db.selectFrom('workflow_workers').selectAll().where('deployment_id', 'in', deploymentIds);
  if (page.seen) query = query.where('seen_ms', page.seen.active ? '>' : '<=', page.seen.since);
  if (page.after !== undefined) query = query.where('name', '>', page.after);
  if (page.limit !== undefined) query = query.limit(page.limit);
  return query.orderBy('name').execute();
}
