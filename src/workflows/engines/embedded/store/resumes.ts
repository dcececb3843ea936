import type { Db } from '../../../../kit/db/index.ts';

declare module '../../../../kit/db/tables.ts' {
  interface Tables {
    /** Runs that a server is waking; those of a server that died show what it had in hand, and how often. */
    workflow_resumes: { run_id: string; deaths: number; since_ms: number };
  }
}

export type Resume = { run_id: string; deaths: number; since_ms: number };

export function listResumes(db: Db): Promise<Resume[]> {
  // By the key, in its order: no sorting, and no reading of what is not there.
  return db.selectFrom('workflow_resumes').selectAll().where('run_id', '>', '').orderBy('run_id').execute();
}

/** Returns those that no other server has in hand. */
export async function insertResumes(db: Db, runIds: string[], nowMs: number): Promise<string[]> {
  const rows = await db
    .insertInto('workflow_resumes')
    .values(runIds.map((run_id) => ({ run_id, deaths: 1, since_ms: nowMs })))
    .onConflict((conflict) => conflict.column('run_id').doNothing())
    .returning('run_id')
    .execute();
  return rows.map(({ run_id }) => run_id);
}

/** Takes over what a server that died had in hand; false if another one was quicker. */
export async function updateResume(db: Db, { run_id, deaths, since_ms }: Resume, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('workflow_resumes')
    .set({ deaths: deaths + 1, since_ms: nowMs })
    .where('run_id', '=', run_id)
    .where('since_ms', '=', since_ms)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function deleteResumes(db: Db, runIds: string[]): Promise<void> {
  if (runIds.length === 0) return;
  await db.deleteFrom('workflow_resumes').where('run_id', 'in', runIds).execute();
}
