import type { ColumnType, Selectable } from 'kysely';
import { contains, type Db, type Tables, type Tx } from '../../kit/db/index.ts';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    playground_sessions: {
      id: string;
      workspace_id: string;
      user_id: string;
      name: string;
      content: ColumnType<Record<string, unknown>, string, string>;
      /** Members of the workspace may read it and go on in a copy of their own. */
      is_shared: boolean;
      branch_of: string | null;
      created_at: string;
      updated_at: string;
    };
  }
}

export type SessionRow = Selectable<Tables['playground_sessions']>;
export type ListedSession = Omit<SessionRow, 'content' | 'workspace_id'>;
export type Owner = { workspace_id: string; user_id: string };

const LISTED = ['id', 'user_id', 'name', 'is_shared', 'branch_of', 'created_at', 'updated_at'] as const;

function visible(db: Db, { workspace_id, user_id }: Owner) {
  return db
    .selectFrom('playground_sessions')
    .where('workspace_id', '=', workspace_id)
    .where(({ eb, or }) => or([eb('user_id', '=', user_id), eb('is_shared', '=', true)]));
}

/** One's own and those that others share, the one changed last first. */
export function listSessions(
  db: Db,
  owner: Owner,
  { search, limit }: { search: string | undefined; limit: number },
): Promise<ListedSession[]> {
  return visible(db, owner)
    .select(LISTED)
    .$if(search !== undefined, (query) => query.where(contains('name', search ?? '')))
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export function findSession(db: Db, owner: Owner, id: string): Promise<SessionRow | undefined> {
  return visible(db, owner).selectAll().where('id', '=', id).executeTakeFirst();
}

export async function countSessions(db: Db, { workspace_id, user_id }: Owner): Promise<number> {
  const { count } = await db
    .selectFrom('playground_sessions')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('workspace_id', '=', workspace_id)
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertSession(tx: Tx, row: SessionRow): Promise<void> {
  await tx
    .insertInto('playground_sessions')
    .values({ ...row, content: JSON.stringify(row.content) })
    .execute();
}

type SessionChange = { name?: string; content?: Record<string, unknown>; is_shared?: boolean; updated_at: string };

/** Only one's own. */
export async function updateSession(
  tx: Tx,
  { workspace_id, user_id }: Owner,
  id: string,
  { content, ...change }: SessionChange,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('playground_sessions')
    .set({ ...change, ...(content === undefined ? {} : { content: JSON.stringify(content) }) })
    .where('id', '=', id)
    .where('workspace_id', '=', workspace_id)
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function deleteSession(tx: Tx, { workspace_id, user_id }: Owner, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('playground_sessions')
    .where('id', '=', id)
    .where('workspace_id', '=', workspace_id)
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
