import type { Db, Tx } from '../../kit/db/index.ts';
import type { AliasMoveRow, ObjectRow } from './tables.ts';

export type AliasMove = { alias: string; from: number | null; to: number | null };

/** The version of each of the given aliases that is set. */
export async function findAliases(tx: Tx, objectId: string, aliases: readonly string[]): Promise<Map<string, number>> {
  if (aliases.length === 0) return new Map();
  const rows = await tx
    .selectFrom('object_aliases')
    .select(['alias', 'version'])
    .where('object_id', '=', objectId)
    .where('alias', 'in', aliases)
    .execute();
  return new Map(rows.map(({ alias, version }) => [alias, version]));
}

/** The aliases of a range of versions, sorted. */
export async function listAliases(
  db: Db,
  objectId: string,
  versions: { from: number; to: number },
): Promise<Map<number, string[]>> {
  const rows = await db
    .selectFrom('object_aliases')
    .select(['version', 'alias'])
    .where('object_id', '=', objectId)
    .where('version', '>=', versions.from)
    .where('version', '<=', versions.to)
    .orderBy('alias')
    .execute();
  const byVersion = new Map<number, string[]>();
  for (const { version, alias } of rows) byVersion.set(version, [...(byVersion.get(version) ?? []), alias]);
  return byVersion;
}

/** Moves the aliases and appends the moves to the history. */
export async function applyMoves(
  tx: Tx,
  { id: object_id, kind, workspace_id, audience, revision }: ObjectRow,
  moves: readonly AliasMove[],
  by: { author_id: string; moved_at: string },
): Promise<void> {
  for (const { alias, from, to } of moves) {
    if (to === null) {
      await tx.deleteFrom('object_aliases').where('object_id', '=', object_id).where('alias', '=', alias).execute();
    } else {
      await tx
        .insertInto('object_aliases')
        .values({ object_id, alias, version: to, kind, workspace_id, audience })
        .onConflict((conflict) => conflict.columns(['object_id', 'alias']).doUpdateSet({ version: to }))
        .execute();
    }
    const move = { object_id, revision, alias, from_version: from, to_version: to, ...by };
    await tx.insertInto('object_alias_moves').values(move).execute();
  }
}

export async function updateAudience(tx: Tx, objectId: string, audience: string): Promise<void> {
  await tx.updateTable('object_aliases').set({ audience }).where('object_id', '=', objectId).execute();
}

/** Newest first. */
export function listMoves(db: Db, objectId: string, limit: number): Promise<AliasMoveRow[]> {
  return db
    .selectFrom('object_alias_moves')
    .selectAll()
    .where('object_id', '=', objectId)
    .orderBy('revision', 'desc')
    .orderBy('alias')
    .limit(limit)
    .execute();
}
