import type { Db, Tx } from '../../kit/db/index.ts';
import type { Place } from './documents.ts';
import type { SourceRow } from './tables.ts';

const HASHES_AT_ONCE = 500;

export async function insertSource(tx: Tx, { place, caller, result, ...row }: SourceRow): Promise<void> {
  const values = { ...row, place: JSON.stringify(place), caller: JSON.stringify(caller) };
  await tx
    .insertInto('library_sources')
    .values({ ...values, result: result && JSON.stringify(result) })
    .execute();
}

export function listSources(db: Db, { workspaceId, libraryId }: Place): Promise<SourceRow[]> {
  return db
    .selectFrom('library_sources')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('library_id', '=', libraryId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function findSource(db: Db, { workspaceId, libraryId }: Place, id: string): Promise<SourceRow | undefined> {
  return db
    .selectFrom('library_sources')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('library_id', '=', libraryId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Of all workspaces, for the schedule. */
export function listDueSources(db: Db, nowMs: number, limit: number): Promise<SourceRow[]> {
  return db.selectFrom('library_sources').selectAll().where('next_run_ms', '<=', nowMs).limit(limit).execute();
}

type Change = Partial<
  Pick<SourceRow, 'status' | 'revision' | 'result' | 'error_code' | 'error_message' | 'last_run_at' | 'next_run_ms'>
>;

/** False when the source is gone. */
export async function updateSource(
  db: Db,
  { workspaceId, libraryId }: Place,
  id: string,
  { result, ...change }: Change,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('library_sources')
    .set({ ...change, ...(result === undefined ? {} : { result: result && JSON.stringify(result) }) })
    .where('workspace_id', '=', workspaceId)
    .where('library_id', '=', libraryId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteSource(tx: Tx, { workspaceId, libraryId }: Place, id: string): Promise<void> {
  await tx.deleteFrom('library_source_files').where('source_id', '=', id).execute();
  await tx
    .deleteFrom('library_sources')
    .where('workspace_id', '=', workspaceId)
    .where('library_id', '=', libraryId)
    .where('id', '=', id)
    .execute();
}

/** All of a library. */
export async function deleteSources(tx: Tx, libraryId: string): Promise<void> {
  await tx
    .deleteFrom('library_source_files')
    .where('source_id', 'in', (eb) => eb.selectFrom('library_sources').select('id').where('library_id', '=', libraryId))
    .execute();
  await tx.deleteFrom('library_sources').where('library_id', '=', libraryId).execute();
}

type SourceFile = { path: string; sha256: string; document_id: string };

/** Those whose document is still there: one that was deleted by hand comes back with the next run. */
export function listSourceFiles(db: Db, sourceId: string): Promise<SourceFile[]> {
  return db
    .selectFrom('library_source_files as file')
    .innerJoin('library_documents as document', 'document.id', 'file.document_id')
    .select(['file.path', 'file.sha256', 'file.document_id'])
    .where('file.source_id', '=', sourceId)
    .execute();
}

export async function upsertSourceFile(tx: Tx, sourceId: string, file: SourceFile): Promise<void> {
  await tx
    .deleteFrom('library_source_files')
    .where('source_id', '=', sourceId)
    .where('document_id', '=', file.document_id)
    .execute();
  await tx
    .insertInto('library_source_files')
    .values({ source_id: sourceId, ...file })
    .onConflict((conflict) =>
      conflict.columns(['source_id', 'path']).doUpdateSet({ sha256: file.sha256, document_id: file.document_id }),
    )
    .execute();
}

export async function deleteSourceFiles(tx: Tx, sourceId: string, documentIds: string[]): Promise<void> {
  await tx
    .deleteFrom('library_source_files')
    .where('source_id', '=', sourceId)
    .where('document_id', 'in', documentIds)
    .execute();
}

/** Which of these contents the library has from somebody else. */
export async function findHeldElsewhere(
  db: Db,
  { workspaceId, libraryId }: Place,
  sourceId: string,
  sha256s: string[],
): Promise<Set<string>> {
  const held = new Set<string>();
  for (let at = 0; at < sha256s.length; at += HASHES_AT_ONCE) {
    const rows = await db
      .selectFrom('library_documents')
      .select('sha256')
      .where('workspace_id', '=', workspaceId)
      .where('library_id', '=', libraryId)
      .where('sha256', 'in', sha256s.slice(at, at + HASHES_AT_ONCE))
      .where('id', 'not in', (eb) =>
        eb.selectFrom('library_source_files').select('document_id').where('source_id', '=', sourceId),
      )
      .execute();
    for (const { sha256 } of rows) if (sha256) held.add(sha256);
  }
  return held;
}
