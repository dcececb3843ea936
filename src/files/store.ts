import { type SelectQueryBuilder, sql } from 'kysely';
import {
  contains,
  countFound,
  countListed,
  type Db,
  findPlace,
  isBeyond,
  isFrom,
  type Listed,
  rowsOf,
  type Searched,
  type Tables,
  type Tx,
} from '../kit/db/index.ts';
import type { FileSchema, FilesQuery } from './schema.ts';

export type FileRow = {
  id: string;
  workspace_id: string;
  user_id: string;
  filename: string;
  /** For searches: lower case by Unicode's rules, which neither database implements fully. */
  filename_folded: string;
  bytes: number;
  sha256: string;
  mimetype: string | null;
  purpose: FileSchema['purpose'];
  sample_type: FileSchema['sample_type'];
  source: FileSchema['source'];
  num_lines: number | null;
  visibility: NonNullable<FileSchema['visibility']>;
  /** Signs the download links of this file. */
  url_secret: string;
  created_at: string;
  expires_at: string | null;
};

declare module '../kit/db/tables.ts' {
  interface Tables {
    files: FileRow;
  }
}

/** Sees the workspace's files and the user's own private ones, except expired ones. */
export type Viewer = { workspaceId: string; userId: string; now: string };

export type FileFilter = Pick<FilesQuery, 'sample_type' | 'source' | 'search' | 'purpose' | 'mimetypes'> & {
  /** All that the search may find are among these files. */
  among?: readonly string[] | undefined;
};

export const searchedFiles = (workspaceId: string): Searched => ({
  list: 'files',
  scope: { column: 'workspace_id', id: workspaceId },
  texts: ['filename_folded'],
});

type Rows = SelectQueryBuilder<Tables, 'files', object>;

function alive(db: Db, now: string, among?: readonly string[]): Rows {
  return rowsOf(db, 'files', among).where(({ eb, or }) =>
    or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]),
  );
}

const visible = (db: Db, viewer: Viewer, among?: readonly string[]): Rows => seen(alive(db, viewer.now, among), viewer);

function seen(rows: Rows, { workspaceId, userId }: Viewer): Rows {
  return rows
    .where('workspace_id', '=', workspaceId)
    .where(({ eb, or }) => or([eb('visibility', '=', 'workspace'), eb('user_id', '=', userId)]));
}

export function findFile(db: Db, viewer: Viewer, id: string): Promise<FileRow | undefined> {
  return visible(db, viewer).selectAll().where('id', '=', id).executeTakeFirst();
}

/** Those of the files that the viewer sees. */
export function findFiles(db: Db, viewer: Viewer, ids: readonly string[]): Promise<FileRow[]> {
  return visible(db, viewer).selectAll().where('id', 'in', ids).execute();
}

/** For download links, in any workspace; the caller checks the signature. */
export function findFileById(db: Db, id: string, now: string): Promise<FileRow | undefined> {
  return alive(db, now).selectAll().where('id', '=', id).executeTakeFirst();
}

/** The newest content of any workspace, to check that a server shares the data dir. */
export async function findNewestContent(db: Db, now: string): Promise<string | undefined> {
  const query = alive(db, now).select('sha256').orderBy('created_at', 'desc').limit(1);
  return (await query.executeTakeFirst())?.sha256;
}

export async function listFiles(
  db: Db,
  viewer: Viewer,
  filter: FileFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<FileRow[]> {
  // Counts include what has expired and is deleted in a moment: until then, rows are skipped one by one.
  const of = offset === 0 || (await countExpired(db, viewer, {})) > 0 ? undefined : countedFiles(viewer, filter);
  const place = await findPlace(db, of, offset, 'desc');
  if (!place) return [];
  return filtered(db, viewer, filter)
    .selectAll()
    .where(isFrom('created_at', place, 'desc'))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(place.offset)
    .execute();
}

type Position = Pick<FileRow, 'created_at' | 'id'>;

export function listFilesAfter(
  db: Db,
  viewer: Viewer,
  filter: FileFilter,
  { position, order, limit }: { position: Position | undefined; order: 'asc' | 'desc'; limit: number },
): Promise<FileRow[]> {
  let query = filtered(db, viewer, filter).selectAll();
  if (position) query = query.where(isBeyond(order, ['created_at', 'id'], [position.created_at, position.id]));
  return query.orderBy('created_at', order).orderBy('id', order).limit(limit).execute();
}

/** Undefined for filters that only the rows themselves answer. */
function countedFiles({ workspaceId, userId }: Viewer, filter: FileFilter): Listed | undefined {
  const { purpose, source, sample_type, search, mimetypes } = filter;
  if (search || mimetypes?.length) return undefined;
  const isAmong = (wanted: readonly string[] | null | undefined, value = '') =>
    !wanted?.length || wanted.includes(value);
  const whole = { list: 'files', scope: workspaceId, owners: ['', userId] };
  if (!purpose && !source?.length && !sample_type?.length) return whole;
  return {
    ...whole,
    accepts: ([itsPurpose, itsSource, itsType]) =>
      (!purpose || itsPurpose === purpose) && isAmong(source, itsSource) && isAmong(sample_type, itsType),
  };
}

/** A search looks at the newest files only, so that its cost does not grow with their number. */
const SCANNED_MAX = 2000;

export function searchFiles(
  db: Db,
  viewer: Viewer,
  text: string,
  limit: number,
): Promise<Pick<FileRow, 'id' | 'filename' | 'purpose' | 'created_at'>[]> {
  const newest = visible(db, viewer)
    .select(['id', 'filename', 'filename_folded', 'purpose', 'created_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(SCANNED_MAX);
  return db
    .selectFrom(newest.as('f'))
    .select(['f.id', 'f.filename', 'f.purpose', 'f.created_at'])
    .where((eb) => eb.or([contains('f.filename_folded', text), eb('f.id', '=', text.toLowerCase())]))
    .orderBy('f.created_at', 'desc')
    .limit(limit)
    .execute();
}

export async function countFiles(db: Db, viewer: Viewer, filter: FileFilter, pageEnd: number): Promise<number> {
  const of = countedFiles(viewer, filter);
  if (of) return (await countListed(db, of)).amount - (await countExpired(db, viewer, filter));
  const whole = { list: 'files', scope: viewer.workspaceId, owners: ['', viewer.userId] };
  return countFound(db, filtered(db, viewer, filter).select('id'), filter.among, { of: whole, pageEnd });
}

/** Files that nobody sees any more, and that are not deleted yet. */
async function countExpired(db: Db, viewer: Viewer, filter: FileFilter): Promise<number> {
  const { workspaceId, userId, now } = viewer;
  const expired: Rows = db
    .selectFrom('files')
    .where('expires_at', '<=', now)
    // Not the bare column, whose index would have all files of the workspace read.
    .where(sql<string>`workspace_id || ''`, '=', workspaceId)
    .where(({ eb, or }) => or([eb('visibility', '=', 'workspace'), eb('user_id', '=', userId)]));
  const { count } = await narrowed(expired, filter)
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

const filtered = (db: Db, viewer: Viewer, filter: FileFilter) => narrowed(visible(db, viewer, filter.among), filter);

function narrowed(rows: Rows, { sample_type, source, search, purpose, mimetypes }: FileFilter): Rows {
  let query = rows;
  if (sample_type?.length) query = query.where('sample_type', 'in', sample_type);
  if (source?.length) query = query.where('source', 'in', source);
  if (mimetypes?.length) query = query.where('mimetype', 'in', mimetypes);
  if (purpose) query = query.where('purpose', '=', purpose);
  if (search)
    query = query.where(({ eb, fn, val }) =>
      eb(fn('replace', ['filename_folded', val(search), val('')]), '<>', eb.ref('filename_folded')),
    );
  return query;
}

export async function insertFile(tx: Tx, row: FileRow): Promise<void> {
  await tx.insertInto('files').values(row).execute();
}

export async function deleteFile(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('files')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns the contents of the deleted files. */
export async function deleteExpiredFiles(tx: Tx, now: string): Promise<string[]> {
  const rows = await tx.deleteFrom('files').where('expires_at', '<=', now).returning('sha256').execute();
  return rows.map(({ sha256 }) => sha256);
}

/** Contents that a file has, expired or not. */
export async function findReferenced(db: Db, sha256s: string[]): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('files').select('sha256').distinct().where('sha256', 'in', sha256s).execute();
  return new Set(rows.map(({ sha256 }) => sha256));
}
