import type { ClassifierDefinition } from '../../engines/index.ts';
import type { Db } from '../../kit/db/index.ts';

export type ClassifierRow = {
  id: string;
  /** Null where every workspace may use it. */
  workspace_id: string | null;
  /** The embedding model whose vectors it was trained on. */
  root: string;
  name: string | null;
  description: string | null;
  /** Another one for each training. */
  job: string;
  definition: ClassifierDefinition;
  /** How it did on the examples that were held out. */
  figures: Record<string, unknown>;
  archived: boolean;
  created: number;
};

declare module '../../kit/db/tables.ts' {
  interface Tables {
    classifiers: ClassifierRow;
  }
}

/** Without the weights, which are read when a classifier is opened. */
export type ListedClassifier = Omit<ClassifierRow, 'definition'>;

const listed = [
  'id',
  'workspace_id',
  'root',
  'name',
  'description',
  'job',
  'figures',
  'archived',
  'created',
] as const satisfies (keyof ListedClassifier)[];

export function listClassifiers(db: Db): Promise<ListedClassifier[]> {
  return db.selectFrom('classifiers').select(listed).orderBy('created').orderBy('id').execute();
}

export async function findDefinition(db: Db, id: string, job: string): Promise<ClassifierDefinition | undefined> {
  const row = await db
    .selectFrom('classifiers')
    .select('definition')
    .where('id', '=', id)
    .where('job', '=', job)
    .executeTakeFirst();
  return row?.definition;
}

export async function insertClassifier(db: Db, row: ClassifierRow): Promise<void> {
  await db.insertInto('classifiers').values(row).execute();
}

/** The workspace null stands for those of all workspaces. */
export async function deleteClassifier(db: Db, workspaceId: string | null, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('classifiers')
    .where('workspace_id', workspaceId === null ? 'is' : '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function updateClassifier(
  db: Db,
  workspaceId: string,
  id: string,
  changes: Partial<Pick<ClassifierRow, 'name' | 'description' | 'archived'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('classifiers')
    .set(changes)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
