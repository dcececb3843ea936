import { type CompiledQuery, sql } from 'kysely';
import type { Database, Db, Tx } from '../../kit/db/index.ts';
import { type Forgotten, type SpanSearch, searchedRows } from '../../traces/index.ts';
import type { SpanEvaluationRow } from './tables.ts';
import './tables.ts';

/** Newest first. `isLatest`: of each span and evaluation only the newest. */
export function searchSpanEvaluations(
  db: Db,
  kind: Database['kind'],
  search: SpanSearch,
  { isLatest = false, slugs }: { isLatest?: boolean; slugs?: readonly string[] } = {},
): CompiledQuery<SpanEvaluationRow> {
  let rows = searchedRows(db, kind, { ...search, table: 'span_evaluations' });
  if (slugs) rows = rows.where(sql<boolean>`config_slug in (${sql.join(slugs)})`);
  if (isLatest)
    rows = rows.where(
      sql<boolean>`not exists (select 1 from span_evaluations as n where n.workspace_id = span_evaluations.workspace_id
        and n.span_id = span_evaluations.span_id and n.evaluation_name = span_evaluations.evaluation_name
        and n.start_us > span_evaluations.start_us)`,
    );
  return rows.selectAll().compile() as unknown as CompiledQuery<SpanEvaluationRow>;
}

/** A span is judged by a configuration once. */
export async function insertSpanEvaluation(tx: Tx, { details, ...row }: SpanEvaluationRow): Promise<void> {
  await tx
    .insertInto('span_evaluations')
    .values({ ...row, details: details && JSON.stringify(details) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function listJudged(db: Db, configId: string, spanIds: readonly string[]): Promise<Set<string>> {
  if (spanIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('span_evaluations')
    .select('span_id')
    .where('config_id', '=', configId)
    .where('span_id', 'in', spanIds)
    .execute();
  return new Set(rows.map(({ span_id }) => span_id));
}

export async function deleteSpanEvaluationsBefore(tx: Tx, beforeUs: number): Promise<void> {
  await tx.deleteFrom('span_evaluations').where('start_us', '<', beforeUs).execute();
}

/**
 * The reasons that judges gave quote what was said; scores stay. Some rows at a time. Returns whether there may be more.
 */
export async function clearExplanations(
  tx: Tx,
  { workspaceId, conversationId, userId }: Forgotten,
  rows: number,
): Promise<boolean> {
  let query = tx
    .selectFrom('span_evaluations')
    .select(['start_us', 'span_id'])
    .where('workspace_id', '=', workspaceId)
    .where('explanation', '<>', '');
  if (conversationId !== undefined)
    query = query.where('conversation_id', '=', conversationId).where('conversation_id', '<>', '');
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  const found = await query.limit(rows).execute();
  for (const { start_us, span_id } of found)
    await tx
      .updateTable('span_evaluations')
      .set({ explanation: '' })
      .where('workspace_id', '=', workspaceId)
      .where('start_us', '=', start_us)
      .where('span_id', '=', span_id)
      .execute();
  return found.length === rows;
}
