import { sql } from 'kysely';
import {
  countFound,
  countListed,
  type Database,
  type Db,
  findCandidates,
  findPlace,
  type Listed,
  rowsOf,
  type Tx,
} from '../../kit/db/index.ts';
import { readPage } from './read-page.ts';
import type { EvaluationRow, ProjectRow } from './tables.ts';
import './tables.ts';

type Page = { limit: number; offset: number };

export async function insertProject(tx: Tx, row: ProjectRow): Promise<void> {
  await tx.insertInto('evaluation_projects').values(row).execute();
}

export function findProject(db: Db, workspaceId: string, slug: string): Promise<ProjectRow | undefined> {
  return db
    .selectFrom('evaluation_projects')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('slug', '=', slug)
    .executeTakeFirst();
}

export async function listProjects(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  workspaceId: string,
  search: string | null | undefined,
  { limit, offset }: Page,
): Promise<{ rows: ProjectRow[]; count: number }> {
  const among = await findNamed({ db, kind }, 'evaluation_projects', workspaceId, search);
  let found = rowsOf(db, 'evaluation_projects', among).where('workspace_id', '=', workspaceId);
  if (search) found = found.where(hasText(search));
  const whole = { list: 'evaluation_projects', scope: workspaceId };
  const of = search ? undefined : whole;
  const place = await findPlace(db, of, offset, 'desc');
  const rows = await readPage(found.selectAll(), place, limit);
  const count = of
    ? await countOf(db, found, of)
    : await countFound(db, found.select('id'), among, { of: whole, pageEnd: offset + limit });
  return { rows, count };
}

/** Those that may have the text in their name or slug. */
export const findNamed = (
  database: Pick<Database, 'db' | 'kind'>,
  list: 'evaluation_projects' | 'evaluation_pipelines' | 'evaluation_pipeline_configs',
  workspaceId: string,
  search: string | null | undefined,
): Promise<string[] | undefined> =>
  findCandidates(
    database,
    { list, scope: { column: 'workspace_id', id: workspaceId }, texts: ['lower(name)', 'slug'] },
    search?.toLowerCase(),
  );

/** In the name or the slug, whatever its case. */
export const hasText = (search: string) =>
  sql<boolean>`(lower(name) like ${likePattern(search)} escape '\\' or slug like ${likePattern(search)} escape '\\')`;

const likePattern = (search: string) => `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;

type Counted = { select(count: ReturnType<typeof countAll>): { executeTakeFirst(): Promise<unknown> } };
const countAll = () => sql<number>`count(*)`.as('count');

/** From the counts of the list, if they tell it. */
export async function countOf(db: Db, query: unknown, of: Listed | undefined): Promise<number> {
  if (of) return (await countListed(db, of)).amount;
  const row = await (query as Counted).select(countAll()).executeTakeFirst();
  return Number((row as { count: number }).count);
}

export async function deleteProject(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('evaluation_projects').where('id', '=', id).execute();
}

export async function insertEvaluation(tx: Tx, { tags, metadata, ...row }: EvaluationRow): Promise<void> {
  const json = { tags: JSON.stringify(tags), metadata: JSON.stringify(metadata) };
  await tx
    .insertInto('evaluations')
    .values({ ...row, ...json })
    .execute();
}

export function findEvaluation(db: Db, workspaceId: string, slug: string): Promise<EvaluationRow | undefined> {
  return db
    .selectFrom('evaluations')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('slug', '=', slug)
    .executeTakeFirst();
}

export async function listEvaluations(
  db: Db,
  projectId: string,
  { limit, offset }: Page,
): Promise<{ rows: EvaluationRow[]; count: number }> {
  const found = db.selectFrom('evaluations').where('project_id', '=', projectId);
  const of = { list: 'evaluations', scope: projectId };
  const place = await findPlace(db, of, offset, 'desc');
  const rows = await readPage(found.selectAll(), place, limit);
  return { rows, count: await countOf(db, found, of) };
}

export type Summary = { id: string; name: string; slug: string };

/** The evaluations of some projects, newest first. */
export async function listSummaries(
  db: Db,
  projectIds: readonly string[],
): Promise<(Summary & { project_id: string })[]> {
  if (projectIds.length === 0) return [];
  return db
    .selectFrom('evaluations')
    .select(['id', 'name', 'slug', 'project_id'])
    .where('project_id', 'in', projectIds)
    .orderBy('created_at', 'desc')
    .execute();
}

/** What rows refer to, by the ids of the evaluations. */
export async function findReferences(
  db: Db,
  evaluationIds: readonly string[],
): Promise<Map<string, { evaluation: Summary; project: Summary }>> {
  if (evaluationIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('evaluations as e')
    .innerJoin('evaluation_projects as p', 'p.id', 'e.project_id')
    .select(['e.id', 'e.name', 'e.slug', 'p.id as project_id', 'p.name as project_name', 'p.slug as project_slug'])
    .where('e.id', 'in', [...new Set(evaluationIds)])
    .execute();
  return new Map(
    rows.map(({ id, name, slug, project_id, project_name, project_slug }) => [
      id,
      { evaluation: { id, name, slug }, project: { id: project_id, name: project_name, slug: project_slug } },
    ]),
  );
}

export async function hasEvaluations(tx: Tx, projectId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('evaluations')
    .select('id')
    .where('project_id', '=', projectId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteEvaluation(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('evaluation_optimizations').where('evaluation_id', '=', id).execute();
  await tx.deleteFrom('evaluations').where('id', '=', id).execute();
}
