import type { Db, Tx } from '../../kit/db/index.ts';
import type { IndexSummary, ManagedIndexConfig, ManagedIndexFields } from '../schema/indexes.ts';

export type IndexRow = {
  id: string;
  workspace_id: string;
  name: string;
  creator_id: string;
  config: ManagedIndexConfig;
  schema: ManagedIndexFields;
  created_at: string;
  modified_at: string;
};

declare module '../../kit/db/tables.ts' {
  interface Tables {
    search_indexes: IndexRow;
    search_index_summaries: IndexSummary & { index_id: string; language: string };
  }
}

const asJson = <T>(value: T): T => JSON.stringify(value) as unknown as T;

export function findIndex(db: Db, workspaceId: string, name: string): Promise<IndexRow | undefined> {
  return db
    .selectFrom('search_indexes')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('name', '=', name)
    .executeTakeFirst();
}

export async function insertIndex(tx: Tx, row: IndexRow): Promise<void> {
  await tx
    .insertInto('search_indexes')
    .values({ ...row, config: asJson(row.config), schema: asJson(row.schema) })
    .execute();
}

export async function updateIndexSchema(
  tx: Tx,
  { id, workspace_id }: IndexRow,
  schema: ManagedIndexFields,
  modified_at: string,
): Promise<void> {
  await tx
    .updateTable('search_indexes')
    .set({ schema: asJson(schema), modified_at })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .execute();
}

export async function deleteIndex(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('search_indexes')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export type IndexFilter = { name?: string | undefined; creator_id?: string | undefined };

/** By name, after the last one of the page before. */
export function listIndexes(
  db: Db,
  workspaceId: string,
  { name, creator_id }: IndexFilter,
  after: string,
  limit: number,
): Promise<IndexRow[]> {
  let query = db
    .selectFrom('search_indexes')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('name', '>', after);
  if (creator_id !== undefined) query = query.where('creator_id', '=', creator_id);
  // Names have only letters of ASCII, which both databases fold alike.
  if (name !== undefined)
    query = query.where(({ eb, fn, val }) =>
      eb(fn('replace', [fn('lower', ['name']), val(name.toLowerCase()), val('')]), '<>', fn('lower', ['name'])),
    );
  return query.orderBy('name').limit(limit).execute();
}

/** Those whose workspace is gone or archived. */
export function listOrphanedIndexes(db: Db, limit: number): Promise<Pick<IndexRow, 'id' | 'workspace_id'>[]> {
  return db
    .selectFrom('search_indexes')
    .select(['id', 'workspace_id'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('workspaces')
            .select('workspaces.id')
            .whereRef('workspaces.id', '=', 'search_indexes.workspace_id')
            .where('workspaces.archived_at', 'is', null),
        ),
      ),
    )
    .limit(limit)
    .execute();
}

export function findSummary(db: Db, indexId: string, language: string): Promise<IndexSummary | undefined> {
  return db
    .selectFrom('search_index_summaries')
    .select(['content', 'status', 'translated'])
    .where('index_id', '=', indexId)
    .where('language', '=', language)
    .executeTakeFirst();
}

export async function writeSummary(tx: Tx, indexId: string, language: string, summary: IndexSummary): Promise<void> {
  await tx
    .insertInto('search_index_summaries')
    .values({ index_id: indexId, language, ...summary })
    .onConflict((conflict) => conflict.columns(['index_id', 'language']).doUpdateSet(summary))
    .execute();
}
