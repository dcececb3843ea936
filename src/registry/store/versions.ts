import type { Insertable } from 'kysely';
import type { Db, Tx } from '../../kit/db/index.ts';
import type { VersionSnapshot } from '../schema.ts';
import { listAliases } from './aliases.ts';
import type { VersionRow } from './tables.ts';

const VERSIONS_PER_READ = 100;
const INT32_MAX = 2 ** 31 - 1;

export async function insertVersion(tx: Tx, row: Insertable<VersionRow>): Promise<void> {
  await tx.insertInto('object_versions').values(row).execute();
}

export function findVersion(tx: Tx, objectId: string, by: { version: number } | { digest: string }) {
  const query = tx.selectFrom('object_versions').select(['version', 'notes']).where('object_id', '=', objectId);
  return 'digest' in by
    ? query.where('digest', '=', by.digest).executeTakeFirst()
    : query.where('version', '=', by.version).executeTakeFirst();
}

export async function updateNotes(tx: Tx, objectId: string, version: number, notes: string): Promise<void> {
  await tx
    .updateTable('object_versions')
    .set({ notes })
    .where('object_id', '=', objectId)
    .where('version', '=', version)
    .execute();
}

/** Newest first, in pages, so a long history needs little memory. */
export async function* listVersions<D>(db: Db, objectId: string): AsyncGenerator<VersionSnapshot<D>[]> {
  for (let newest = INT32_MAX; ; ) {
    const rows = await db
      .selectFrom('object_versions')
      .select(['version', 'definition', 'notes', 'author_id', 'created_at'])
      .where('object_id', '=', objectId)
      .where('version', '<=', newest)
      .orderBy('version', 'desc')
      .limit(VERSIONS_PER_READ)
      .execute();
    const last = rows.at(-1);
    if (!last) return;
    const aliases = await listAliases(db, objectId, { from: last.version, to: newest });
    yield rows.map((row) => ({ ...row, definition: row.definition as D, aliases: aliases.get(row.version) ?? [] }));
    if (rows.length < VERSIONS_PER_READ) return;
    newest = last.version - 1;
  }
}
