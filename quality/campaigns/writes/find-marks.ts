import type { Kind } from './kinds.ts';

/** Queries the tables of the platform directly, without our own code. */
export type Query = <T extends object>(text: string) => Promise<T[]>;

type Row = { value: unknown };

/** Where the mark of each kind of write is stored, once for each created object. */
const places: Record<Kind, { text: string; markOf?: (value: unknown) => unknown }> = {
  prompt: { text: `select name as value from versioned_objects where kind = 'prompt'` },
  version: {
    text: `select definition as value from object_versions join versioned_objects on id = object_id where name = 'ground'`,
    markOf: (value) => (read(value) as { content: string }).content,
  },
  skill: { text: `select name as value from versioned_objects where kind = 'skill'` },
  agent: { text: 'select name as value from agents' },
  conversation: {
    text: `select entry as value from conversation_entries where type = 'message.input'`,
    markOf: (value) => (read(value) as { content: string }).content,
  },
  file: { text: 'select filename as value from files', markOf: (value) => String(value).replace(/\.jsonl$/, '') },
  document: {
    text: 'select name as value from library_documents',
    markOf: (value) => String(value).replace(/\.txt$/, ''),
  },
  batch: {
    text: 'select metadata as value from batch_jobs',
    markOf: (value) => (read(value) as { mark?: string } | null)?.mark,
  },
  execution: { text: 'select execution_id as value from workflow_runs' },
  dataset: { text: 'select name as value from datasets' },
  record: {
    text: 'select payload as value from dataset_records',
    markOf: (value) => (read(value) as { mark?: string }).mark,
  },
  judge: { text: 'select name as value from judges' },
  run: { text: 'select name as value from evaluation_runs' },
  workspace: { text: 'select name as value from workspaces' },
  key: { text: 'select name as value from api_keys' },
  group: { text: 'select name as value from user_groups' },
  member: { text: 'select email as value from users', markOf: (value) => String(value).replace(/@.*/, '') },
};

/** How often each mark occurs in the tables of its kind. */
export async function countMarks(query: Query): Promise<Record<Kind, Map<string, number>>> {
  const found = {} as Record<Kind, Map<string, number>>;
  for (const [kind, { text, markOf = String }] of Object.entries(places)) {
    const counts = new Map<string, number>();
    for (const { value } of await query<Row>(text)) {
      const mark = String(markOf(value));
      counts.set(mark, (counts.get(mark) ?? 0) + 1);
    }
    found[kind as Kind] = counts;
  }
  return found;
}

// PostgreSQL's client has parsed it already, SQLite's has not.
function read(value: unknown): unknown {
  return typeof value === 'string' ? JSON.parse(value) : value;
}
