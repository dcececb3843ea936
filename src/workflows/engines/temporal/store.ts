import type { ColumnType } from 'kysely';
import type { Json } from '../../../../packages/workflows/src/protocol.ts';
import type { Db } from '../../../kit/db/index.ts';
import type { RunRow } from '../../store/run-tables.ts';

declare module '../../../kit/db/tables.ts' {
  interface Tables {
    workflow_temporal_runs: {
      run_id: string;
      workspace_id: string;
      /** Null until Temporal has confirmed the start. */
      temporal_run_id: string | null;
      /** The packed input; null once Temporal has it. */
      input: ColumnType<Json | null, string | null, string | null>;
      is_open: boolean;
    };
  }
}

/** Our row of a run, and its Temporal id. */
export type TemporalRun = { row: RunRow; temporalRunId: string | null };

const runs = (db: Db, workspaceId: string) =>
  db
    .selectFrom('workflow_runs')
    .innerJoin('workflow_temporal_runs', 'workflow_temporal_runs.run_id', 'workflow_runs.run_id')
    .selectAll('workflow_runs')
    .select('temporal_run_id')
    .where('workflow_runs.workspace_id', '=', workspaceId);

const split = ({ temporal_run_id, ...row }: RunRow & { temporal_run_id: string | null }): TemporalRun => ({
  row,
  temporalRunId: temporal_run_id,
});

export async function findLatest(db: Db, workspaceId: string, executionId: string): Promise<TemporalRun | undefined> {
  const found = await runs(db, workspaceId)
    .where('execution_id', '=', executionId)
    .where('is_latest', '=', true)
    .executeTakeFirst();
  return found && split(found);
}

export async function findByRun(db: Db, workspaceId: string, runId: string): Promise<TemporalRun | undefined> {
  const found = await runs(db, workspaceId).where('workflow_runs.run_id', '=', runId).executeTakeFirst();
  return found && split(found);
}

export async function findByTemporalId(db: Db, workspaceId: string, id: string): Promise<TemporalRun | undefined> {
  const found = await runs(db, workspaceId).where('temporal_run_id', '=', id).executeTakeFirst();
  return found && split(found);
}

/** Those of the runs that Temporal has confirmed. */
export async function listTemporalIds(db: Db, runIds: string[]): Promise<Set<string>> {
  if (runIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('workflow_temporal_runs')
    .select('run_id')
    .where('run_id', 'in', runIds)
    .where('temporal_run_id', 'is not', null)
    .execute();
  return new Set(rows.map(({ run_id }) => run_id));
}

export async function insertTemporalRun(
  db: Db,
  run: { run_id: string; workspace_id: string; temporal_run_id: string | null; input: Json | null },
): Promise<void> {
  const input = run.input === null ? null : JSON.stringify(run.input);
  await db
    .insertInto('workflow_temporal_runs')
    .values({ ...run, input, is_open: true })
    .execute();
}

/** The first call wins; later ones have the same id. */
export async function nameTemporalRun(db: Db, runId: string, temporalRunId: string): Promise<void> {
  await db
    .updateTable('workflow_temporal_runs')
    .set({ temporal_run_id: temporalRunId, input: null })
    .where('run_id', '=', runId)
    .where('temporal_run_id', 'is', null)
    .execute();
}

export async function closeTemporalRun(db: Db, runId: string): Promise<void> {
  await db
    .updateTable('workflow_temporal_runs')
    .set({ is_open: false, input: null })
    .where('run_id', '=', runId)
    .execute();
}

export async function findInput(db: Db, runId: string): Promise<Json | null> {
  const found = await db
    .selectFrom('workflow_temporal_runs')
    .select('input')
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return found?.input ?? null;
}

/** Open runs, oldest first. */
export async function listOpen(db: Db, after: string, limit: number) {
  return db
    .selectFrom('workflow_temporal_runs')
    .select(['run_id', 'workspace_id', 'temporal_run_id'])
    .where('is_open', '=', true)
    .where('run_id', '>', after)
    .orderBy('run_id')
    .limit(limit)
    .execute();
}
