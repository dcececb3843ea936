import { sql } from 'kysely';
import { countFound, type Database, type Db, findPlace, lookForEach, rowsOf, type Tx } from '../../kit/db/index.ts';
import type { PipelineConfigsQuery, PipelinesQuery } from '../schema/pipelines.ts';
import { kindOf } from '../schema/pipelines.ts';
import { countOf, findNamed, hasText } from './projects.ts';
import { readPage } from './read-page.ts';
import type { ConfigRow, PipelineRow } from './tables.ts';
import './tables.ts';

type Page = { limit: number; offset: number };

const toValues = ({ holder, selectors, definition, sampling, ...row }: ConfigRow) => ({
  ...row,
  holder: JSON.stringify(holder),
  selectors: JSON.stringify(selectors),
  definition: JSON.stringify(definition),
  sampling: sampling && JSON.stringify(sampling),
});

export async function insertPipeline(tx: Tx, { selectors, ...row }: PipelineRow): Promise<void> {
  await tx
    .insertInto('evaluation_pipelines')
    .values({ ...row, selectors: JSON.stringify(selectors) })
    .execute();
}

export async function updatePipeline(tx: Tx, { selectors, ...row }: PipelineRow): Promise<void> {
  const values = { ...row, selectors: JSON.stringify(selectors) };
  await tx.updateTable('evaluation_pipelines').set(values).where('id', '=', row.id).execute();
}

export function findPipeline(db: Db, workspaceId: string, id: string): Promise<PipelineRow | undefined> {
  const found = db.selectFrom('evaluation_pipelines').selectAll().where('workspace_id', '=', workspaceId);
  return found.where('id', '=', id).executeTakeFirst();
}

const isWanted = (wanted: boolean | null | undefined, enabled: string | undefined) =>
  typeof wanted !== 'boolean' || enabled === (wanted ? '1' : '0');

export async function listPipelines(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  workspaceId: string,
  query: PipelinesQuery,
  { limit, offset }: Page,
) {
  const among = await findNamed({ db, kind }, 'evaluation_pipelines', workspaceId, query.q);
  let found = rowsOf(db, 'evaluation_pipelines', among).where('workspace_id', '=', workspaceId);
  if (typeof query.enabled === 'boolean') found = found.where('enabled', '=', query.enabled);
  if (query.q) found = found.where(hasText(query.q));
  const accepts = ([enabled]: readonly string[]) => isWanted(query.enabled, enabled);
  const of = query.q ? undefined : { list: 'evaluation_pipelines', scope: workspaceId, accepts };
  const place = await findPlace(db, of, offset, 'desc');
  const rows = await readPage(found.selectAll(), place, limit);
  if (of || !query.q) return { rows, count: await countOf(db, found, of) };
  const around = { of: { list: 'evaluation_pipelines', scope: workspaceId }, pageEnd: offset + limit };
  return { rows, count: await countFound(db, found.select('id'), among, around) };
}

export async function deletePipeline(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('evaluation_pipeline_configs').where('pipeline_id', '=', id).execute();
  await tx.deleteFrom('evaluation_pipelines').where('id', '=', id).execute();
}

export async function insertConfig(tx: Tx, row: ConfigRow): Promise<void> {
  await tx.insertInto('evaluation_pipeline_configs').values(toValues(row)).execute();
}

export async function updateConfig(tx: Tx, row: ConfigRow): Promise<void> {
  await tx.updateTable('evaluation_pipeline_configs').set(toValues(row)).where('id', '=', row.id).execute();
}

export function findConfig(db: Db, workspaceId: string, id: string): Promise<ConfigRow | undefined> {
  const found = db.selectFrom('evaluation_pipeline_configs').selectAll().where('workspace_id', '=', workspaceId);
  return found.where('id', '=', id).executeTakeFirst();
}

/** For the scan: in any workspace. */
export function findConfigById(db: Db, id: string): Promise<ConfigRow | undefined> {
  return db.selectFrom('evaluation_pipeline_configs').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function listConfigs(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  workspaceId: string,
  query: PipelineConfigsQuery,
  { limit, offset }: Page,
) {
  const among = await findNamed({ db, kind }, 'evaluation_pipeline_configs', workspaceId, query.q);
  let found = rowsOf(db, 'evaluation_pipeline_configs', among).where('workspace_id', '=', workspaceId);
  if (query.pipeline_kind) found = found.where('kind', '=', kindOf(query.pipeline_kind));
  if (query.group) found = found.where('group_name', '=', query.group);
  if (typeof query.enabled === 'boolean') found = found.where('enabled', '=', query.enabled);
  if (query.q) found = found.where(hasText(query.q));
  const accepts = ([its, enabled]: readonly string[]) =>
    (!query.pipeline_kind || its === kindOf(query.pipeline_kind)) && isWanted(query.enabled, enabled);
  const of = query.q || query.group ? undefined : { list: 'evaluation_pipeline_configs', scope: workspaceId, accepts };
  const place = await findPlace(db, of, offset, 'desc');
  const rows = await readPage(found.selectAll(), place, limit);
  if (of || !query.q) return { rows, count: await countOf(db, found, of) };
  const around = { of: { list: 'evaluation_pipeline_configs', scope: workspaceId }, pageEnd: offset + limit };
  return { rows, count: await countFound(db, found.select('id'), among, around) };
}

export async function listConfigsOf(db: Db, pipelineIds: readonly string[]): Promise<ConfigRow[]> {
  if (pipelineIds.length === 0) return [];
  const found = db.selectFrom('evaluation_pipeline_configs').selectAll().where('pipeline_id', 'in', pipelineIds);
  return found.orderBy('created_at').execute();
}

export async function deleteConfig(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('evaluation_pipeline_configs').where('id', '=', id).execute();
}

export async function deleteConfigsOf(tx: Tx, pipelineId: string): Promise<void> {
  await tx.deleteFrom('evaluation_pipeline_configs').where('pipeline_id', '=', pipelineId).execute();
}

/** Those whose spans up to this time were not looked at, the longest waiting first. */
export function listDue(db: Db, beforeMs: number, limit: number): Promise<ConfigRow[]> {
  return db
    .selectFrom('evaluation_pipeline_configs')
    .selectAll()
    .where(sql<boolean>`enabled`)
    .where('scanned_to_ms', '<', beforeMs)
    .orderBy('scanned_to_ms')
    .limit(limit)
    .execute();
}

/** Up to when the spans of all enabled configurations were looked at; it has one key. */
export const oldestScan = lookForEach(sql`(select min(scanned_to_ms) from evaluation_pipeline_configs where enabled)`);

export async function moveScan(tx: Tx, id: string, scanned_to_ms: number): Promise<void> {
  await tx.updateTable('evaluation_pipeline_configs').set({ scanned_to_ms }).where('id', '=', id).execute();
}
