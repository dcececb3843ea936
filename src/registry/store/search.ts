import { findPassage } from '../../kit/base/find-passage.ts';
import { contains, containsInJson, type Db } from '../../kit/db/index.ts';
import type { Viewer } from '../schema.ts';
import { EVERYONE } from './tables.ts';

/** Only the newest objects are looked at, so that a search costs the same however many there are. */
const SCANNED_MAX = 1000;

export async function searchObjects(db: Db, kind: string, viewer: Viewer, text: string, limit: number) {
  const rows = await db
    .selectFrom((from) =>
      from
        .selectFrom('versioned_objects')
        .select(['id', 'name', 'title', 'description', 'latest_version', 'updated_at'])
        .where('workspace_id', '=', viewer.workspace_id)
        .where('kind', '=', kind)
        .where('audience', 'in', [EVERYONE, viewer.user_id])
        .orderBy('updated_at', 'desc')
        .limit(SCANNED_MAX)
        .as('o'),
    )
    .innerJoin('object_versions as v', (join) =>
      join.onRef('v.object_id', '=', 'o.id').onRef('v.version', '=', 'o.latest_version'),
    )
    .select(['o.id', 'o.name', 'o.title', 'o.description', 'o.updated_at', 'v.definition'])
    .where((eb) =>
      eb.or([
        contains('o.name', text),
        contains('o.title', text),
        contains('o.description', text),
        eb('o.id', '=', text.toLowerCase()),
        containsInJson('v.definition', text),
      ]),
    )
    .orderBy('o.updated_at', 'desc')
    .limit(limit)
    .execute();
  return rows.flatMap(({ id, name, title, description, updated_at: at, definition }) => {
    const found = { id, name, title, at };
    if (findPassage([id, name, title, description], text) !== undefined) return [{ ...found, detail: description }];
    // The text may have been found in the name of a member only.
    const detail = findPassage(definition, text);
    return detail === undefined ? [] : [{ ...found, detail }];
  });
}
