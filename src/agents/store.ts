import { type ColumnType, type Selectable, sql } from 'kysely';
import {
  contains,
  type Database,
  type Db,
  findCandidates,
  findPlace,
  holdsJson,
  inOrder,
  isBeyond,
  isFrom,
  padValues,
  rowsOf,
  type Searched,
  type Sized,
  storedBytes,
  type Tables,
  type Tx,
} from '../kit/db/index.ts';
import type { AgentFilters } from './schema.ts';

declare module '../kit/db/tables.ts' {
  interface Tables {
    agents: {
      id: string;
      object_id: string;
      workspace_id: string;
      current_version: number;
      deployment_chat: boolean;
      source: string;
      /** These three are of the current version; lists filter by them. */
      name: string;
      description: string;
      metadata: ColumnType<Record<string, unknown> | null, string | null, string | null>;
      created_at: string;
    };
  }
}

export type AgentRow = Selectable<Tables['agents']>;
export type Position = { created_at: string; id: string };
type Current = Pick<AgentRow, 'current_version' | 'name' | 'description' | 'metadata'> &
  Partial<Pick<AgentRow, 'deployment_chat'>>;

export async function insertAgent(tx: Tx, row: AgentRow): Promise<void> {
  await tx
    .insertInto('agents')
    .values({ ...row, metadata: textOf(row.metadata) })
    .execute();
}

export function findAgent(db: Db, workspaceId: string, id: string): Promise<AgentRow | undefined> {
  return db
    .selectFrom('agents')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** False if another version than the expected one is current. */
export async function updateCurrent(
  tx: Tx,
  workspaceId: string,
  id: string,
  current: Current,
  expected?: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('agents')
    .set({ ...current, metadata: textOf(current.metadata) })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .$if(expected !== undefined, (query) => query.where('current_version', '=', expected ?? 0))
    .executeTakeFirst();
  return numUpdatedRows > 0;
}

/** An agent that was found but not read; `bytes` is its row without its definition. */
export type FoundAgent = Pick<AgentRow, 'id' | 'object_id' | 'current_version' | 'created_at'> & Sized;

const searchedAgents = (workspaceId: string): Searched => ({
  list: 'agents',
  scope: { column: 'workspace_id', id: workspaceId },
  texts: ['lower(name)', 'lower(description)'],
});

/** Newest first. */
export async function findAgents(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  workspaceId: string,
  filters: AgentFilters,
  page: { limit: number; offset?: number; after?: Position | undefined },
): Promise<FoundAgent[]> {
  const { id, name, search, deployment_chat, sources, metadata } = filters;
  const { after, offset = 0 } = page;
  const isWhole = Object.values(filters).every((filter) => filter === undefined);
  const of = isWhole ? { list: 'agents', scope: workspaceId } : undefined;
  const place = await findPlace(db, of, offset, 'desc');
  if (!place) return [];
  const among = await findCandidates({ db, kind }, searchedAgents(workspaceId), search?.toLowerCase());
  if (among?.length === 0) return [];
  let query = rowsOf(db, 'agents', among)
    .where(isFrom('created_at', place, 'desc'))
    .select(['id', 'object_id', 'current_version', 'created_at'])
    .select(storedBytes(kind, 'description', 'metadata').as('bytes'))
    .where('workspace_id', '=', workspaceId);
  if (id !== undefined) query = query.where('id', '=', id);
  if (name !== undefined) query = query.where('name', '=', name);
  if (deployment_chat !== undefined) query = query.where('deployment_chat', '=', deployment_chat);
  if (sources?.length) query = query.where('source', 'in', sources);
  if (search !== undefined) {
    const pattern = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
    query = query.where(
      sql<boolean>`(lower(name) like ${pattern} escape '\\' or lower(description) like ${pattern} escape '\\')`,
    );
  }
  for (const [key, value] of Object.entries(metadata ?? {}))
    query = query.where(holdsJson(kind, sql.ref('agents.metadata'), key, value));
  if (after) query = query.where(isBeyond('desc', ['created_at', 'id'], [after.created_at, after.id]));
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(page.limit).offset(place.offset).execute();
}

/** A search looks at the newest agents only. */
const SCANNED_MAX = 1000;

export function searchAgents(
  db: Db,
  workspaceId: string,
  text: string,
  limit: number,
): Promise<Pick<AgentRow, 'id' | 'name' | 'description' | 'created_at'>[]> {
  return db
    .selectFrom((from) =>
      from
        .selectFrom('agents')
        .select(['id', 'name', 'description', 'created_at'])
        .where('workspace_id', '=', workspaceId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(SCANNED_MAX)
        .as('a'),
    )
    .select(['a.id', 'a.name', 'a.description', 'a.created_at'])
    .where((eb) => eb.or([contains('a.name', text), contains('a.description', text), contains('a.id', text)]))
    .orderBy('a.created_at', 'desc')
    .limit(limit)
    .execute();
}

/** In the order of the ids. */
export async function listAgents(db: Db, workspaceId: string, ids: readonly string[]): Promise<AgentRow[]> {
  const rows = await db
    .selectFrom('agents')
    .selectAll()
    .where('id', 'in', padValues(ids))
    // Not the bare column: SQLite would take an index of the workspace and look through all of its agents.
    .where(sql<string>`workspace_id || ''`, '=', workspaceId)
    .execute();
  return inOrder(ids, rows, ({ id }) => id);
}

function textOf(metadata: Record<string, unknown> | null): string | null {
  return metadata === null ? null : JSON.stringify(metadata);
}
