import { type Database, type Db, rowWriter, type Tx } from '../../kit/db/index.ts';
import type { SpanContent } from '../schema/span.ts';
import type { ContentSettingsRow } from './tables.ts';
import './tables.ts';

export type ContentRow = SpanContent & { workspace_id: string; start_us: number; span_id: string };

const COLUMNS: readonly (keyof ContentRow)[] = [
  ...(['workspace_id', 'start_us', 'span_id', 'input_messages', 'output_messages', 'system_instructions'] as const),
  ...(['tool_definitions', 'tool_call_arguments', 'tool_call_result'] as const),
];

export function contentWriter(kind: Database['kind']): (tx: Tx, rows: readonly ContentRow[]) => Promise<void> {
  const write = rowWriter(kind, 'span_contents', COLUMNS, 'on conflict do nothing');
  const toValues = (row: ContentRow) => COLUMNS.map((column) => row[column]);
  return async (tx, rows) => void (await write(tx, rows.map(toValues)));
}

export async function findContents(
  db: Db,
  workspaceId: string,
  spanIds: readonly string[],
): Promise<Map<string, SpanContent>> {
  if (spanIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('span_contents')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('span_id', 'in', spanIds)
    .execute();
  return new Map(rows.map((row) => [row.span_id, row]));
}

export function listContentSettings(db: Db): Promise<ContentSettingsRow[]> {
  return db.selectFrom('content_settings').selectAll().execute();
}

export function findContentSettings(db: Db, workspaceId: string): Promise<ContentSettingsRow | undefined> {
  return db.selectFrom('content_settings').selectAll().where('workspace_id', '=', workspaceId).executeTakeFirst();
}

export async function upsertContentSettings(tx: Tx, row: ContentSettingsRow): Promise<void> {
  const { workspace_id: _, ...changed } = row;
  await tx
    .insertInto('content_settings')
    .values(row)
    .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(changed))
    .execute();
}

/** The workspaces that have contents; the index is skipped through, not read. */
export async function findNextContents(db: Db, after: string): Promise<string | undefined> {
  const query = db.selectFrom('span_contents').select('workspace_id').where('workspace_id', '>', after);
  return (await query.orderBy('workspace_id').limit(1).executeTakeFirst())?.workspace_id;
}

/** Some of the oldest, so that no transaction is long. Returns whether there may be more. */
export async function deleteContentsBefore(
  tx: Tx,
  workspaceId: string,
  beforeUs: number,
  rows: number,
): Promise<boolean> {
  const next = await tx
    .selectFrom('span_contents')
    .select('start_us')
    .where('workspace_id', '=', workspaceId)
    .where('start_us', '<', beforeUs)
    .orderBy('start_us')
    .limit(1)
    .offset(rows)
    .executeTakeFirst();
  await tx
    .deleteFrom('span_contents')
    .where('workspace_id', '=', workspaceId)
    .where('start_us', '<', next ? next.start_us + 1 : beforeUs)
    .execute();
  return next !== undefined;
}

/** What was said in a conversation, in all its turns and tools. */
export async function deleteContentsOfConversation(tx: Tx, workspaceId: string, conversationId: string): Promise<void> {
  await tx
    .deleteFrom('span_contents')
    .where('workspace_id', '=', workspaceId)
    .where('span_id', 'in', (query) =>
      query
        .selectFrom('spans')
        .select('span_id')
        .where('workspace_id', '=', workspaceId)
        .where('conversation_id', '=', conversationId),
    )
    .execute();
}

/**
 * What was said by a user of the workspace, among some rows from a time on, so that no transaction is long. Returns from
 * when on there may be more.
 */
export async function deleteContentsOfUser(
  tx: Tx,
  workspaceId: string,
  userId: string,
  fromUs: number,
  rows: number,
): Promise<number | undefined> {
  const next = await tx
    .selectFrom('span_contents')
    .select('start_us')
    .where('workspace_id', '=', workspaceId)
    .where('start_us', '>=', fromUs)
    .orderBy('start_us')
    .limit(1)
    .offset(rows)
    .executeTakeFirst();
  const toUs = next && Math.max(next.start_us, fromUs + 1);
  await tx
    .deleteFrom('span_contents')
    .where('workspace_id', '=', workspaceId)
    .where('start_us', '>=', fromUs)
    .where('start_us', '<', toUs ?? Number.MAX_SAFE_INTEGER)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('spans')
          .select('spans.span_id')
          .whereRef('spans.workspace_id', '=', 'span_contents.workspace_id')
          .whereRef('spans.start_us', '=', 'span_contents.start_us')
          .whereRef('spans.span_id', '=', 'span_contents.span_id')
          .where('spans.user_id', '=', userId),
      ),
    )
    .execute();
  return toUs;
}
