import type { Insertable } from 'kysely';
import { type Database, type Db, readGroups, storedBytes, type Tx } from '../../kit/db/index.ts';
import type { VersionSnapshot } from '../schema.ts';
import { listAliases } from './aliases.ts';
import type { VersionRow } from './tables.ts';

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

/** Newest first, in groups, so a long history needs little memory. */
export async function* listVersions<D>(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  objectId: string,
  versionsPerSearch: number,
): AsyncGenerator<VersionSnapshot<D>[]> {
  for (let newest = INT32_MAX; ; ) {
    const found = await ofObject(db, objectId)
      .select(['version', storedBytes(kind, 'definition', 'notes').as('bytes')])
      .where('version', '<=', newest)
      .orderBy('version', 'desc')
      .limit(versionsPerSearch)
      .execute();
    yield* readGroups(found, (group) => readVersions<D>(db, objectId, group));
    const last = found.at(-1);
    if (!last || found.length < versionsPerSearch) return;
    newest = last.version - 1;
  }
}

function ofObject(db: Db, objectId: string) {
  return db.selectFrom('object_versions').where('object_id', '=', objectId);
}

async function readVersions<D>(db: Db, objectId: string, group: { version: number }[]): Promise<VersionSnapshot<D>[]> {
  const [to = 0, from = to] = [group[0]?.version, group.at(-1)?.version];
  const rows = await ofObject(db, objectId)
    .select(['version', 'definition', 'notes', 'author_id', 'created_at'])
    .where('version', '>=', from)
    .where('version', '<=', to)
    .orderBy('version', 'desc')
    .execute();
  const aliases = await listAliases(db, objectId, { from, to });
  return rows.map((row) => ({ ...row, definition: row.definition as D, aliases: aliases.get(row.version) ?? [] }));
}
