import { sql } from 'kysely';
import type { Db, Tx } from '../../kit/db/index.ts';
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
  db: Db,
  workspaceId: string,
  search: string | null | undefined,
  { limit, offset }: Page,
): Promise<{ rows: ProjectRow[]; count: number }> {
  let found = db.selectFrom('evaluation_projects').where('workspace_id', '=', workspaceId);
  if (search) found = found.where(hasText(search));
  const rows = await found.selectAll().orderBy('created_at', 'desc').limit(limit).offset(offset).execute();
  return { rows, count: await countOf(found) };
}

/** In the name or the slug, whatever its case. */
export const hasText = (search: string) =>
  sql<boolean>`(lower(name) like ${likePattern(search)} escape '\\' or slug like ${likePattern(search)} escape '\\')`;

const likePattern = (search: string) => `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;

type Counted = { select(count: ReturnType<typeof countAll>): { executeTakeFirst(): Promise<unknown> } };
const countAll = () => sql<number>`count(*)`.as('count');

export async function countOf(query: unknown): Promise<number> {
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
  const rows = await found.selectAll().orderBy('created_at', 'desc').limit(limit).offset(offset).execute();
  return { rows, count: await countOf(found) };
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
