import { type Database, type Db, inOrder, padValues, readGroups, storedBytes, type Tx } from '../../kit/db/index.ts';
import type { DeploymentSummary, Pipeline, RegisterPipeline, VespaDeployment } from '../schema/rag.ts';

export type DeploymentIndex = VespaDeployment['indexes'][number] & { id: string; document_count: number | null };
export type DeploymentRow = Omit<DeploymentSummary, 'deployment'> & {
  workspace_id: string;
  deployment: Omit<VespaDeployment, 'indexes'> & { indexes: DeploymentIndex[] };
};
export type PipelineRow = Pipeline & { workspace_id: string; target_indexes: RegisterPipeline['target_indexes'] };

declare module '../../kit/db/tables.ts' {
  interface Tables {
    rag_deployments: DeploymentRow;
    rag_pipelines: PipelineRow;
  }
}

const asJson = <T>(value: T): T => (value === null ? value : (JSON.stringify(value) as unknown as T));

/** All of a workspace, in small groups: a definition may have a megabyte, of which a list shows little. */
export async function* listDeployments({ db, kind }: Database, workspaceId: string): AsyncGenerator<DeploymentRow[]> {
  const found = await db
    .selectFrom('rag_deployments')
    .select(['id', storedBytes(kind, 'deployment').as('bytes')])
    .where('workspace_id', '=', workspaceId)
    .orderBy('name')
    .execute();
  yield* readGroups(found, async (group) => {
    const ids = group.map(({ id }) => id);
    const rows = await db.selectFrom('rag_deployments').selectAll().where('id', 'in', padValues(ids)).execute();
    return inOrder(ids, rows, ({ id }) => id);
  });
}

export async function countRegistered(
  tx: Tx,
  table: 'rag_deployments' | 'rag_pipelines',
  workspaceId: string,
): Promise<number> {
  const { count } = await tx
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** What is found stays as it is until the end of the transaction: on PostgreSQL others would change or delete it meanwhile. */
export function lockDeployment(
  tx: Tx,
  kind: Database['kind'],
  workspaceId: string,
  by: 'id' | 'name',
  value: string,
): Promise<DeploymentRow | undefined> {
  return tx
    .selectFrom('rag_deployments')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where(by, '=', value)
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
}

/** Returns its id, which is another one when somebody has just registered one of this name. */
export async function writeDeployment(tx: Tx, row: DeploymentRow): Promise<string> {
  const values = { ...row, deployment: asJson(row.deployment) };
  const { id: _id, workspace_id: _workspace, created_at: _created, creator_id: _creator, ...changes } = values;
  const { id } = await tx
    .insertInto('rag_deployments')
    .values(values)
    .onConflict((conflict) => conflict.columns(['workspace_id', 'name']).doUpdateSet(changes))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function deleteDeployment(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('rag_deployments')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export function listPipelines(db: Db, workspaceId: string): Promise<PipelineRow[]> {
  return db.selectFrom('rag_pipelines').selectAll().where('workspace_id', '=', workspaceId).orderBy('name').execute();
}

/** Until the end of the transaction, like a deployment. */
export function lockPipeline(
  tx: Tx,
  kind: Database['kind'],
  workspaceId: string,
  by: 'id' | 'name',
  value: string,
): Promise<PipelineRow | undefined> {
  return tx
    .selectFrom('rag_pipelines')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where(by, '=', value)
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
}

/** Returns it as it is stored: with the id and the author of one of this name that somebody has just registered. */
export function writePipeline(tx: Tx, row: PipelineRow): Promise<PipelineRow> {
  const values = {
    ...row,
    pipeline_composition: asJson(row.pipeline_composition),
    target_indexes: asJson(row.target_indexes ?? null),
  };
  const { id: _id, workspace_id: _workspace, created_at: _created, author_id: _author, ...changes } = values;
  return tx
    .insertInto('rag_pipelines')
    .values(values)
    .onConflict((conflict) => conflict.columns(['workspace_id', 'name']).doUpdateSet(changes))
    .returningAll()
    .executeTakeFirstOrThrow();
}
