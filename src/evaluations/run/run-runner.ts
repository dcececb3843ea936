import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import { storageProblemOf } from '../../kit/base/storage-failure.ts';
import { ApiError } from '../../kit/http/index.ts';
import { createTaskRunner, type QueueOptions, type RunningTask, type TaskRunner } from '../../kit/tasks/index.ts';
import { hasPassed, toGoalResults } from '../goals.ts';
import type { EvaluationPorts } from '../ports.ts';
import { readRecord } from '../read-record.ts';
import { RECORDS_MAX, type RunStatus } from '../schema/runs.ts';
import { toStatistics } from '../statistics.ts';
import { insertRecords } from '../store/records.ts';
import { findRunById, moveRun } from '../store/runs.ts';
import { tallyRuns } from '../store/statistics.ts';
import type { RunRow } from '../store/tables.ts';
import { enqueueRun } from './enqueue-run.ts';
import { escapeNul, executeRecords } from './execute-records.ts';

const RUNS_QUEUE = 'evaluation-runs';
const RUNS_AT_ONCE = 64;
const TURNS = { perTenantMax: 8, perKeyMax: 4 };
/** How long the run of a dead process waits for another one. */
const LEASE_MS = 4000;
const ATTEMPTS_MAX = 5;
const ENDED: readonly RunStatus[] = ['stopped', 'completed', 'failed'];

export const hasEnded = ({ status }: Pick<RunRow, 'status'>): boolean => ENDED.includes(status);

export function createRunRunner(ports: EvaluationPorts, queues: Record<string, QueueOptions>): TaskRunner {
  const { database, authority, datasets, announce, now, log } = ports;
  const { db } = database;

  async function execute(task: RunningTask, signal: AbortSignal): Promise<void> {
    const { run_id } = task.payload as { run_id: string };
    const started = { status: 'running', started_at: isoMicros(now), updated_at: isoMicros(now) } as const;
    const moved = await database.transaction((tx) => moveRun(tx, run_id, ['queued'], started));
    const run = moved ?? (await findRunById(db, run_id));
    if (!run || hasEnded(run)) return leave(task, run_id);
    if (run.status === 'stopping') return end(task, run, 'stopped');
    try {
      const refusal = await authority.refusalOf(run.holder, 'evaluations:write');
      if (refusal) return await end(task, run, 'failed', refusal.message);
      await copyRecords(run, signal);
      const scope = async () => authority.scopeOf(run.holder, 'evaluations:write');
      const outcome = await executeRecords(ports, run, scope, signal);
      await end(task, run, outcome === 'done' ? 'completed' : 'stopped');
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError && error.status < 500) return end(task, run, 'failed', error.message);
      if (!(await findRunById(db, run.id))) return;
      if (task.attempt < ATTEMPTS_MAX || storageProblemOf(error)) throw error;
      log.error({ err: error, run: run.id }, 'an evaluation run was given up');
      await end(task, run, 'failed', 'The run could not continue. Report its id to the operator.');
    }
  }

  /** It may have been resumed since it was read; then this task is the one that it waits for. */
  async function leave(task: RunningTask, runId: string): Promise<void> {
    await database.transaction(async (tx) => {
      await task.complete(tx);
      const run = await findRunById(tx, runId);
      if (run?.status === 'queued') await enqueueRun(ports.tasks, tx, run);
    });
  }

  /** The run has its own copy: what is changed in the dataset meanwhile does not change what is compared. */
  async function copyRecords(run: RunRow, signal: AbortSignal): Promise<void> {
    let after = run.copied_after === null ? -1 : Number(run.copied_after);
    for (let total = run.total_records, isCopied = run.is_copied; !isCopied; ) {
      signal.throwIfAborted();
      const scope = await authority.scopeOf(run.holder, 'evaluations:write');
      const page = await datasets.read(scope, run.dataset_id, after);
      const created_at = isoMicros(now);
      const rows = page.map((record, i) => {
        const { payload, properties } = record;
        return {
          id: uuidv7(now()),
          run_id: run.id,
          workspace_id: run.workspace_id,
          position: total + i,
          dataset_record_id: record.id,
          input: escapeNul(JSON.stringify({ messages: readRecord(record).messages })),
          record_info: escapeNul(JSON.stringify({ payload, properties })),
          status: 'pending' as const,
          created_at,
          updated_at: created_at,
        };
      });
      total += rows.length;
      after = page.at(-1)?.position ?? after;
      isCopied = page.length === 0 || total >= RECORDS_MAX;
      const change = { total_records: total, copied_after: String(after), is_copied: isCopied, updated_at: created_at };
      await database.transaction(async (tx) => {
        if (await moveRun(tx, run.id, ['running', 'stopping'], change)) await insertRecords(tx, rows);
      });
    }
  }

  async function end(task: RunningTask, run: RunRow, status: RunStatus, error: string | null = null): Promise<void> {
    const statistics = toStatistics(await tallyRuns(db, [run.id]))(run.id);
    const goal_results = toGoalResults(run.evaluators, statistics, 'run');
    const passed = status === 'completed' ? hasPassed(goal_results) : null;
    const completed_at = isoMicros(now);
    await database.transaction(async (tx) => {
      await task.complete(tx);
      await moveRun(tx, run.id, ['queued', 'running', 'stopping'], {
        status,
        error,
        goal_results,
        passed,
        completed_at,
        updated_at: completed_at,
      });
      const organization_id = task.tenant ?? '';
      const data = { run_id: run.id, evaluation_id: run.evaluation_id, status, passed };
      await announce?.(tx, { type: 'evaluation.finished', organization_id, workspace_id: run.workspace_id, data });
    });
  }

  const handler: QueueOptions['handler'] = (task, { signal }) => execute(task, signal);
  return createTaskRunner({
    database,
    now,
    log,
    queues: { ...queues, [RUNS_QUEUE]: { handler, concurrency: RUNS_AT_ONCE, turns: TURNS, leaseMs: LEASE_MS } },
  });
}
