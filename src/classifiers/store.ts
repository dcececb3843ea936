import type { ColumnType, Selectable } from 'kysely';
import type { Db, Tables, Tx } from '../kit/db/index.ts';
import type { ClassifierTraining } from './schema/trainings.ts';

declare module '../kit/db/tables.ts' {
  interface Tables {
    classifier_trainings: {
      id: string;
      organization_id: string;
      workspace_id: string;
      creator_id: string;
      name: string;
      file_id: string;
      model: string | null;
      held_out: number;
      seed: number;
      status: ClassifierTraining['status'];
      message: string | null;
      /** The task that does it, until it ends. */
      task_id: string | null;
      classifier_id: string | null;
      figures: ColumnType<ClassifierTraining['figures'], string | null, string | null>;
      created_at: string;
      ended_at: string | null;
    };
  }
}

export type TrainingRow = Selectable<Tables['classifier_trainings']>;

export async function insertTraining(tx: Tx, { figures: _, ...row }: TrainingRow): Promise<void> {
  await tx
    .insertInto('classifier_trainings')
    .values({ ...row, figures: null })
    .execute();
}

export function findTraining(db: Db, workspaceId: string, id: string): Promise<TrainingRow | undefined> {
  return db
    .selectFrom('classifier_trainings')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Newest first. */
export function listTrainings(db: Db, workspaceId: string, limit: number): Promise<TrainingRow[]> {
  return db
    .selectFrom('classifier_trainings')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export async function countOpenTrainings(db: Db, workspaceId: string): Promise<number> {
  const { count } = await db
    .selectFrom('classifier_trainings')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export type TrainingChange = Partial<
  Pick<TrainingRow, 'model' | 'status' | 'message' | 'task_id' | 'classifier_id' | 'figures' | 'ended_at'>
>;

/** Only while it has not ended. False where it has, or was deleted. */
export async function updateTraining(
  db: Db,
  { workspace_id, id }: Pick<TrainingRow, 'workspace_id' | 'id'>,
  { figures, ...change }: TrainingChange,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('classifier_trainings')
    .set({ ...change, ...(figures !== undefined && { figures: figures && JSON.stringify(figures) }) })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export function deleteTraining(tx: Tx, workspaceId: string, id: string): Promise<TrainingRow | undefined> {
  return tx
    .deleteFrom('classifier_trainings')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Ended ones beyond the newest `kept`. */
export async function deleteOldTrainings(tx: Tx, workspaceId: string, kept: number): Promise<void> {
  const newest = tx
    .selectFrom('classifier_trainings')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(kept);
  await tx
    .deleteFrom('classifier_trainings')
    .where('workspace_id', '=', workspaceId)
    .where('ended_at', 'is not', null)
    .where('id', 'not in', newest)
    .execute();
}
