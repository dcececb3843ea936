import { type Database, type Db, isUniqueViolation, type Tx } from '../../kit/db/index.ts';
import type { Viewer } from '../schema.ts';
import { EVERYONE, type ObjectRow } from './tables.ts';

export type Ref = { id: string } | { name: string };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Looks up by id if the text is shaped like one, then by name: a name may be shaped like an id too. */
export async function byIdOrName<T>(text: string, find: (ref: Ref) => Promise<T | undefined>): Promise<T | undefined> {
  // No name holds a NUL, and PostgreSQL refuses text with one.
  if (text.includes('\0')) return undefined;
  const found = UUID.test(text) ? await find({ id: text.toLowerCase() }) : undefined;
  return found ?? find({ name: text });
}

/** Objects of the kind that the viewer may see; by name the viewer's own comes first. */
export function visibleObjects(db: Db, kind: string, viewer: Viewer, ref: Ref) {
  const query = db
    .selectFrom('versioned_objects as o')
    .where('o.workspace_id', '=', viewer.workspace_id)
    .where('o.kind', '=', kind)
    .where('o.audience', 'in', [EVERYONE, viewer.user_id]);
  return 'id' in ref
    ? query.where('o.id', '=', ref.id)
    : query.where('o.name', '=', ref.name).orderBy('o.audience', 'desc').limit(1);
}

export function findObject(db: Db, kind: string, viewer: Viewer, ref: Ref) {
  return visibleObjects(db, kind, viewer, ref).select(['o.id', 'o.revision']).executeTakeFirst();
}

/** Locks the row until the transaction ends, so changes of one object run one after another. */
export async function findObjectForChange(
  tx: Tx,
  database: Database,
  kind: string,
  viewer: Viewer,
  ref: Ref,
): Promise<ObjectRow | undefined> {
  return visibleObjects(tx, kind, viewer, ref)
    .selectAll('o')
    .$if(database.kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
}

export class NameTaken extends Error {}

export async function insertObject(tx: Tx, row: ObjectRow): Promise<void> {
  await translateTakenName(() => tx.insertInto('versioned_objects').values(row).execute());
}

/** Increments the revision. */
export async function updateObject(tx: Tx, row: ObjectRow, changes: Partial<ObjectRow>): Promise<ObjectRow> {
  const changed = { ...changes, revision: row.revision + 1 };
  await translateTakenName(() => tx.updateTable('versioned_objects').set(changed).where('id', '=', row.id).execute());
  return { ...row, ...changed };
}

export async function deleteObject(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('versioned_objects').where('id', '=', id).execute();
}

async function translateTakenName<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) throw new NameTaken();
    throw error;
  }
}
