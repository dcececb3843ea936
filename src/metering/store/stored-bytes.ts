import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../kit/db/index.ts';
import type { LimitScope } from '../schema.ts';

/** A table that holds what tenants store: the size of a row, and how to find the workspace of the row. */
type StoredTable = { from: string; bytes: string; workspace: string };

/** `size(…)` stands for the bytes of a column on disk, which both databases know without reading it. */
const STORED: readonly StoredTable[] = [
  { from: 'files', bytes: 'bytes', workspace: 'workspace_id' },
  { from: 'library_documents', bytes: 'coalesce(bytes, 0)', workspace: 'workspace_id' },
  {
    from: 'library_pages p join library_documents d on d.id = p.document_id',
    bytes: 'size(p.text) + coalesce(size(p.left_out), 0)',
    workspace: 'd.workspace_id',
  },
  { from: 'custom_voices', bytes: 'sample_bytes', workspace: 'workspace_id' },
  { from: 'batch_jobs', bytes: 'input_bytes', workspace: 'workspace_id' },
  {
    from: 'batch_answers a join batch_jobs j on j.id = a.job_id',
    bytes: 'size(a.line)',
    workspace: 'j.workspace_id',
  },
  {
    from: 'object_versions v join versioned_objects o on o.id = v.object_id',
    bytes: 'size(v.definition) + size(v.notes)',
    workspace: 'o.workspace_id',
  },
  {
    from: 'skill_files f join versioned_objects o on o.id = f.skill_id',
    bytes: 'size(f.content)',
    workspace: 'o.workspace_id',
  },
  {
    from: 'conversation_entries e join conversations c on c.id = e.conversation_id',
    bytes: 'size(e.entry)',
    workspace: 'c.workspace_id',
  },
  { from: 'connectors', bytes: 'size(description) + coalesce(size(openapi), 0)', workspace: 'workspace_id' },
  { from: 'responses', bytes: 'size(request)', workspace: 'workspace_id' },
  { from: 'conversation_runs', bytes: 'coalesce(size(response), 0)', workspace: 'workspace_id' },
  {
    from: 'workflow_history h join workflow_runs r on r.run_id = h.run_id',
    bytes: 'size(h.events)',
    workspace: 'r.workspace_id',
  },
  { from: 'dataset_records', bytes: 'size(payload) + size(properties)', workspace: 'workspace_id' },
  { from: 'dataset_imports', bytes: 'size(request)', workspace: 'workspace_id' },
  { from: 'judges', bytes: 'size(instructions) + size(output)', workspace: 'workspace_id' },
  {
    from: 'webhook_deliveries d join webhooks w on w.id = d.webhook_id',
    bytes: 'coalesce(size(d.payload), 0)',
    workspace: 'w.workspace_id',
  },
  { from: 'workflow_payloads', bytes: 'bytes', workspace: 'workspace_id' },
  { from: 'workflow_schedules', bytes: 'size(input) + size(definition)', workspace: 'workspace_id' },
  { from: 'workflow_registrations', bytes: 'size(definition)', workspace: 'workspace_id' },
];

const SIZE = { sqlite: 'octet_length', postgres: 'pg_column_size' };

/** What a workspace or an organization stores. Reads every row of it, so it runs off the event loop. */
export async function measureStored(database: Database, { kind, id }: LimitScope): Promise<number> {
  const within =
    kind === 'organization' ? sql`(select id from workspaces where organization_id = ${id})` : sql`(select ${id})`;
  const parts = STORED.map(({ from, bytes, workspace }): RawBuilder<unknown> => {
    const size = sql.raw(bytes.replaceAll('size(', `${SIZE[database.kind]}(`));
    return sql`select ${size} as bytes from ${sql.raw(from)} where ${sql.raw(workspace)} in ${within}`;
  });
  const total = sql<{
    bytes: number;
  }>`select coalesce(sum(bytes), 0) as bytes from (${sql.join(parts, sql` union all `)}) as stored`;
  const [row] = await database.readApart(total.compile(database.db));
  return Number(row?.bytes ?? 0);
}
