import type { ColumnType, Selectable } from 'kysely';
import {
  countListed,
  type Database,
  type Db,
  findCandidates,
  findPlace,
  isFrom,
  rowsOf,
  type Tables,
  type Tx,
} from '../kit/db/index.ts';
import type { SampleType } from './schema/voices.ts';

declare module '../kit/db/tables.ts' {
  interface Tables {
    custom_voices: {
      id: string;
      workspace_id: string;
      user_id: string;
      name: string;
      slug: string;
      languages: ColumnType<string[], string, string>;
      gender: string | null;
      age: number | null;
      tags: ColumnType<string[] | null, string | null, string | null>;
      color: string | null;
      description: string | null;
      retention_notice: number;
      sample_sha256: string;
      sample_bytes: number;
      sample_type: SampleType;
      sample_filename: string | null;
      created_at: string;
    };
  }
}

export type VoiceRow = Selectable<Tables['custom_voices']>;
export type VoiceChanges = Pick<
  VoiceRow,
  'name' | 'languages' | 'gender' | 'age' | 'tags' | 'description' | 'retention_notice'
>;

export async function insertVoice(tx: Tx, row: VoiceRow): Promise<void> {
  await tx
    .insertInto('custom_voices')
    .values({ ...row, ...asText(row) })
    .execute();
}

export function findVoice(db: Db, workspaceId: string, id: string): Promise<VoiceRow | undefined> {
  return db
    .selectFrom('custom_voices')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function findVoiceBySlug(db: Db, workspaceId: string, slug: string): Promise<VoiceRow | undefined> {
  return db
    .selectFrom('custom_voices')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('slug', '=', slug)
    .executeTakeFirst();
}

const countedVoices = (workspaceId: string) => ({ list: 'custom_voices', scope: workspaceId });

export async function listVoices(
  db: Db,
  workspaceId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<VoiceRow[]> {
  const place = await findPlace(db, countedVoices(workspaceId), offset, 'desc');
  if (!place) return [];
  return db
    .selectFrom('custom_voices')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where(isFrom('created_at', place, 'desc'))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(place.offset)
    .execute();
}

export type VoicePosition = Pick<VoiceRow, 'created_at' | 'id'>;

const IS_ASCII = /^[ -~]*$/;

/** All that may be called so; undefined where the database does not fold letters as the search does. */
export function findNamedVoices(
  database: Pick<Database, 'db' | 'kind'>,
  workspaceId: string,
  name: string | undefined,
): Promise<string[] | undefined> {
  const scope = { column: 'workspace_id', id: workspaceId };
  const folded = name && IS_ASCII.test(name) ? name.toLowerCase() : undefined;
  return findCandidates(database, { list: 'custom_voices', scope, texts: ['lower(name)'] }, folded);
}

/** In the order of `listVoices`, from the voice after this one on. */
export function listVoicesAfter(
  db: Db,
  workspaceId: string,
  { after, among }: { after: VoicePosition | undefined; among: readonly string[] | undefined },
  limit: number,
): Promise<VoiceRow[]> {
  return rowsOf(db, 'custom_voices', among)
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at', 'id'), '<', tuple(after?.created_at ?? '', after?.id ?? '')),
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export async function countVoices(db: Db, workspaceId: string): Promise<number> {
  return (await countListed(db, countedVoices(workspaceId))).amount;
}

export async function updateVoice(tx: Tx, workspaceId: string, id: string, changes: VoiceChanges): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('custom_voices')
    .set({ ...changes, ...asText(changes) })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteVoice(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('custom_voices')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Which of these contents are the sample of a voice. */
export async function findReferenced(db: Db, sha256s: string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('custom_voices')
    .select('sample_sha256')
    .distinct()
    .where('sample_sha256', 'in', sha256s)
    .execute();
  return new Set(rows.map(({ sample_sha256 }) => sample_sha256));
}

function asText({ languages, tags }: Pick<VoiceRow, 'languages' | 'tags'>) {
  return { languages: JSON.stringify(languages), tags: tags && JSON.stringify(tags) };
}
