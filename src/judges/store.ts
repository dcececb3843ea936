import type { ColumnType, Selectable } from 'kysely';
import {
  countFound,
  countListed,
  type Db,
  findPlace,
  isFrom,
  type Listed,
  rowsOf,
  type Searched,
  type Tables,
  type Tx,
} from '../kit/db/index.ts';
import type { JudgeOutputSpec } from './schema.ts';

type Json<T> = ColumnType<T, string, string>;

declare module '../kit/db/tables.ts' {
  interface Tables {
    judges: {
      id: string;
      workspace_id: string;
      owner_id: string;
      name: string;
      /** For searches: name and description in lower case by Unicode's rules, which neither database implements fully. */
      folded: string;
      description: string;
      model_name: string;
      output_type: JudgeOutputSpec['type'];
      output: Json<JudgeOutputSpec>;
      instructions: string;
      tools: Json<string[]>;
      created_at: string;
      updated_at: string;
    };
  }
}

export type JudgeRow = Selectable<Tables['judges']>;
export type JudgeFilter = {
  types: readonly JudgeOutputSpec['type'][] | undefined;
  models: readonly string[] | undefined;
  search: string | undefined;
  /** All that the search may find are among these judges. */
  among: readonly string[] | undefined;
};

export const searchedJudges = (workspaceId: string): Searched => ({
  list: 'judges',
  scope: { column: 'workspace_id', id: workspaceId },
  texts: ['folded'],
});

type Change = Omit<JudgeRow, 'id' | 'workspace_id' | 'owner_id' | 'created_at'>;

function filtered(db: Db, workspaceId: string, { types, models, search, among }: JudgeFilter) {
  let query = rowsOf(db, 'judges', among).where('workspace_id', '=', workspaceId);
  if (types?.length) query = query.where('output_type', 'in', types);
  if (models?.length) query = query.where('model_name', 'in', models);
  if (search)
    query = query.where(({ eb, fn, val }) =>
      eb(fn('replace', ['folded', val(search), val('')]), '<>', eb.ref('folded')),
    );
  return query;
}

/** Undefined for filters that only the rows themselves answer. */
function countedJudges(workspaceId: string, { types, models, search }: JudgeFilter): Listed | undefined {
  if (search || models?.length) return undefined;
  const accepts = ([type]: readonly string[]) => !types?.length || types.some((one) => one === type);
  return { list: 'judges', scope: workspaceId, accepts };
}

/** Newest first. */
export async function listJudges(
  db: Db,
  workspaceId: string,
  filter: JudgeFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<JudgeRow[]> {
  const place = await findPlace(db, countedJudges(workspaceId, filter), offset, 'desc');
  if (!place) return [];
  return filtered(db, workspaceId, filter)
    .selectAll()
    .where(isFrom('created_at', place, 'desc'))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(place.offset)
    .execute();
}

export async function countJudges(db: Db, workspaceId: string, filter: JudgeFilter, pageEnd: number): Promise<number> {
  const of = countedJudges(workspaceId, filter);
  if (of) return (await countListed(db, of)).amount;
  const whole = { list: 'judges', scope: workspaceId };
  return countFound(db, filtered(db, workspaceId, filter).select('id'), filter.among, { of: whole, pageEnd });
}

export function findJudge(db: Db, workspaceId: string, id: string): Promise<JudgeRow | undefined> {
  return db
    .selectFrom('judges')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

const toStored = ({ output, tools }: Pick<JudgeRow, 'output' | 'tools'>) => ({
  output: JSON.stringify(output),
  tools: JSON.stringify(tools),
});

export async function insertJudge(tx: Tx, row: JudgeRow): Promise<void> {
  await tx
    .insertInto('judges')
    .values({ ...row, ...toStored(row) })
    .execute();
}

export async function updateJudge(tx: Tx, workspaceId: string, id: string, change: Change): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('judges')
    .set({ ...change, ...toStored(change) })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteJudge(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('judges')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
