import { type ColumnType, type Selectable, type SqlBool, sql } from 'kysely';
import { type Db, isBeyond, prepare, type Tables, type Tx } from '../../kit/db/index.ts';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    workflows: {
      id: string;
      organization_id: string;
      workspace_id: string;
      name: string;
      display_name: string;
      description: string | null;
      /** Changed through the API, which overrides the code. */
      display_name_edited: boolean;
      description_edited: boolean;
      available_in_chat_assistant: boolean;
      is_technical: boolean;
      archived: boolean;
      tags: ColumnType<string[], string, string>;
      created_at: string;
      updated_at: string;
    };
  }
}

export type WorkflowRow = Selectable<Tables['workflows']>;

export type WorkflowFilter = {
  archived?: boolean | undefined;
  availableInChatAssistant?: boolean | undefined;
  tags?: string[] | undefined;
  /** Only these workflows. */
  ids?: string[] | undefined;
  notIds?: string[] | undefined;
  after?: { display_name: string; id: string } | undefined;
  order: 'asc' | 'desc';
  limit: number;
};

/** Finds by name or id; a name has precedence. */
export async function findWorkflow(db: Db, workspaceId: string, identifier: string): Promise<WorkflowRow | undefined> {
  const rows = await db
    .selectFrom('workflows')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where((eb) => eb.or([eb('name', '=', identifier), eb('id', '=', identifier)]))
    .execute();
  return rows.find(({ name }) => name === identifier) ?? rows[0];
}

/** The same for every start. */
export function prepareFindWorkflow(db: Db) {
  const list = prepare((workspaceId: string, name: string, id: string) =>
    db
      .selectFrom('workflows')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where((eb) => eb.or([eb('name', '=', name), eb('id', '=', id)])),
  );
  return async (workspaceId: string, identifier: string): Promise<WorkflowRow | undefined> => {
    const rows = await list(db, workspaceId, identifier, identifier);
    return rows.find(({ name }) => name === identifier) ?? rows[0];
  };
}

export function listWorkflowsById(db: Db, workspaceId: string, ids: string[]): Promise<WorkflowRow[]> {
  return db
    .selectFrom('workflows')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .execute();
}

/** By name or id. */
export function listWorkflowsNamed(db: Db, workspaceId: string, identifiers: string[]): Promise<WorkflowRow[]> {
  return db
    .selectFrom('workflows')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where((eb) => eb.or([eb('name', 'in', identifiers), eb('id', 'in', identifiers)]))
    .execute();
}

export function listWorkflowsByName(db: Db, workspaceId: string, names: string[]): Promise<WorkflowRow[]> {
  return db
    .selectFrom('workflows')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('name', 'in', names)
    .execute();
}

export async function insertWorkflow(tx: Tx, row: WorkflowRow): Promise<void> {
  await tx
    .insertInto('workflows')
    .values({ ...row, tags: JSON.stringify(row.tags) })
    .execute();
}

export async function updateWorkflow(
  tx: Tx,
  workspaceId: string,
  id: string,
  { tags, ...change }: Partial<Omit<WorkflowRow, 'id' | 'workspace_id'>>,
): Promise<void> {
  await tx
    .updateTable('workflows')
    .set({ ...change, ...(tags === undefined ? {} : { tags: JSON.stringify(tags) }) })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

/** Sorted by display name and id. */
export async function listWorkflows(db: Db, workspaceId: string, filter: WorkflowFilter): Promise<WorkflowRow[]> {
  if (filter.ids?.length === 0) return [];
  const { after, order } = filter;
  let query = db.selectFrom('workflows').selectAll().where('workspace_id', '=', workspaceId);
  if (filter.archived !== undefined) query = query.where('archived', '=', filter.archived);
  if (filter.availableInChatAssistant !== undefined)
    query = query.where('available_in_chat_assistant', '=', filter.availableInChatAssistant);
  for (const tag of filter.tags ?? []) query = query.where(hasTag(tag));
  if (filter.ids) query = query.where('id', 'in', filter.ids);
  if (filter.notIds?.length) query = query.where('id', 'not in', filter.notIds);
  if (after) query = query.where(isBeyond(order, ['display_name', 'id'], [after.display_name, after.id]));
  return query.orderBy('display_name', order).orderBy('id', order).limit(filter.limit).execute();
}

/** Workflows with all of these tags. */
export async function listTagged(db: Db, workspaceId: string, tags: string[]): Promise<string[]> {
  let query = db.selectFrom('workflows').select('id').where('workspace_id', '=', workspaceId);
  for (const tag of tags) query = query.where(hasTag(tag));
  return (await query.execute()).map(({ id }) => id);
}

/** Internal workflows. */
export async function listTechnical(db: Db, workspaceId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('workflows')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('is_technical', '=', true)
    .execute();
  return rows.map(({ id }) => id);
}

/** The searchable texts of some workflows, in the order of their names; the search happens in memory. */
export function listSearchTexts(db: Db, workspaceId: string, after: string | undefined, limit: number) {
  return db
    .selectFrom('workflows')
    .select(['id', 'name', 'display_name', 'description'])
    .where('workspace_id', '=', workspaceId)
    .$if(after !== undefined, (query) => query.where('name', '>', after ?? ''))
    .orderBy('name')
    .limit(limit)
    .execute();
}

/** Tags are stored as JSON text, so a tag is found by its quoted JSON. */
function hasTag(tag: string) {
  const needle = `%${JSON.stringify(tag).replace(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`cast(${sql.ref('workflows.tags')} as text) like ${needle} escape '\\'`;
}
