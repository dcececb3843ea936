import { sql } from 'kysely';
import { type Database, type Db, findPlace, type Tx } from '../../kit/db/index.ts';
import type { OptimizationsQuery } from '../schema/optimizations.ts';
import { countOf } from './projects.ts';
import { readPage } from './read-page.ts';
import type { OptimizationRow, TrialRow } from './tables.ts';
import './tables.ts';

type Page = { limit: number; offset: number };

export async function insertOptimization(tx: Tx, row: OptimizationRow): Promise<void> {
  const { tags, objective_spec, outcome, ...rest } = row;
  await tx
    .insertInto('evaluation_optimizations')
    .values({
      ...rest,
      tags: JSON.stringify(tags),
      objective_spec: JSON.stringify(objective_spec),
      outcome: outcome && JSON.stringify(outcome),
    })
    .execute();
}

export async function insertTrial(tx: Tx, { metadata, ...row }: TrialRow): Promise<void> {
  await tx
    .insertInto('evaluation_trials')
    .values({ ...row, metadata: JSON.stringify(metadata) })
    .execute();
}

export function findOptimization(db: Db, workspaceId: string, id: string): Promise<OptimizationRow | undefined> {
  const found = db.selectFrom('evaluation_optimizations').selectAll().where('workspace_id', '=', workspaceId);
  return found.where('id', '=', id).executeTakeFirst();
}

/** It runs as long as a run of it does. */
const isRunning = sql<boolean>`exists (select 1 from evaluation_trials as t join evaluation_runs as r on r.trial_id = t.id
  where t.optimization_id = evaluation_optimizations.id and r.status in ('queued', 'running', 'stopping'))`;

export async function listOptimizations(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  workspaceId: string,
  { project, evaluation, status, algorithm, tags }: OptimizationsQuery,
  { limit, offset }: Page,
): Promise<{ rows: OptimizationRow[]; count: number }> {
  let found = db
    .selectFrom('evaluation_optimizations')
    .where('evaluation_optimizations.workspace_id', '=', workspaceId);
  if (project)
    found = found.where(
      sql<boolean>`project_id in (select id from evaluation_projects where workspace_id = ${workspaceId} and slug = ${project})`,
    );
  if (evaluation)
    found = found.where(
      sql<boolean>`evaluation_id in (select id from evaluations where workspace_id = ${workspaceId} and slug = ${evaluation})`,
    );
  if (algorithm) found = found.where('algorithm', '=', algorithm);
  if (status === 'running') found = found.where(isRunning);
  else if (status === 'completed') found = found.where(sql<boolean>`not ${isRunning}`);
  else if (status) found = found.where(sql<boolean>`1 = 0`);
  for (const tag of tags ?? []) {
    const quoted = JSON.stringify(tag);
    found = found.where(
      kind === 'postgres' ? sql<boolean>`strpos(tags::text, ${quoted}) > 0` : sql<boolean>`instr(tags, ${quoted}) > 0`,
    );
  }
  const isWhole = !(project || evaluation || algorithm || status || tags?.length);
  const of = isWhole ? { list: 'evaluation_optimizations', scope: workspaceId } : undefined;
  const place = await findPlace(db, of, offset, 'desc');
  const rows = await readPage(found.selectAll(), place, limit);
  return { rows, count: await countOf(db, found, of) };
}

export async function listTrials(db: Db, optimizationIds: readonly string[]): Promise<TrialRow[]> {
  if (optimizationIds.length === 0) return [];
  const found = db.selectFrom('evaluation_trials').selectAll().where('optimization_id', 'in', optimizationIds);
  return found.orderBy('created_at').orderBy('trial_key').execute();
}
