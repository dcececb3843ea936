import type { FileService } from '../../files/index.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { storageProblemOf } from '../../kit/base/storage-failure.ts';
import type { Blobs } from '../../kit/blobs/index.ts';
import type { Announce } from '../../kit/events/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { createTaskRunner, type RunningTask, type TaskRunner } from '../../kit/tasks/index.ts';
import { type RecordSpan, toSpanId, toTraceId } from '../../metering/index.ts';
import { announceEnd } from '../announce-end.ts';
import { deleteResults, findJobById, hasEnded, type JobRow, moveJob } from '../store.ts';
import { executeLines, type JobPorts, type Outcome } from './execute-lines.ts';
import { InputMissing, openInputs } from './open-inputs.ts';
import { writeFiles } from './write-files.ts';

export const BATCH_QUEUE = 'batch';
/** An open job costs little: its requests take turns by themselves. */
const JOBS_AT_ONCE = 256;
/** On all servers together; the others wait, and those of other organizations go first. */
const TURNS = { perTenantMax: 8, perKeyMax: 2 };
/** How long the job of a dead process waits for another one. */
const LEASE_MS = 4000;
/** Of a job that fails for reasons of our own. */
const ATTEMPTS_MAX = 5;
const DELETED_AT_ONCE = 5000;
const [CANCELED, FAILED] = [499, 500];

export type RunnerPorts = JobPorts & {
  files: FileService;
  blobs: Blobs;
  recordSpan?: RecordSpan | undefined;
  announce?: Announce | undefined;
};

/** Whose files the job reads and writes. It has no permissions: those are read for each request. */
const ownerOf = ({ caller }: JobRow): Scope => ({ ...caller, permissions: new Set() });

export function createJobRunner(ports: RunnerPorts): TaskRunner {
  const { database, files, blobs, now, log } = ports;
  const { db } = database;

  async function run(task: RunningTask, signal: AbortSignal): Promise<void> {
    const { job_id } = task.payload as { job_id: string };
    const found = await findJobById(db, job_id);
    if (!found || hasEnded(found)) return;
    const started = { status: 'RUNNING', started_at: isoMicros(now) } as const;
    const moved = await database.transaction((tx) => moveJob(tx, job_id, ['QUEUED'], started));
    // It ran before, or was cancelled meanwhile.
    const job = moved ?? (await findJobById(db, job_id));
    if (!job || hasEnded(job)) return;
    try {
      const lost = await ports.authority.refusalOf(job.caller, 'batch:write');
      if (lost) return await finish(task, job, { status: 'FAILED', lines: 0, message: lost.message }, 'user');
      const { content, visibility } = await openInputs({ files, blobs }, job, ownerOf(job));
      const outcome = await executeLines(ports, job, content, signal);
      await finish(task, job, outcome, visibility);
    } catch (error) {
      if (error instanceof InputMissing) return fail(task, job, error.message);
      signal.throwIfAborted();
      // A full disk may have room later, and the results so far are stored.
      if (task.attempt < ATTEMPTS_MAX || storageProblemOf(error)) throw error;
      log.error({ err: error, job: job.id }, 'a batch job was given up');
      await fail(task, job, 'The job could not continue. Report its id to the operator.');
    }
  }

  async function finish(
    task: RunningTask,
    job: JobRow,
    { status, lines, message }: Outcome,
    visibility: 'workspace' | 'user',
  ): Promise<void> {
    const written = await writeFiles({ db, files }, job, ownerOf(job), visibility);
    const total = status === 'SUCCESS' ? { total_requests: lines } : {};
    const errors = message ? [{ message, count: 1 }, ...written.errors] : written.errors;
    await end(task, job, { status, ...total, ...written, errors });
    while ((await database.transaction((tx) => deleteResults(tx, job.id, DELETED_AT_ONCE))) === DELETED_AT_ONCE);
  }

  const fail = (task: RunningTask, job: JobRow, message: string) =>
    end(task, job, { status: 'FAILED', errors: [{ message, count: 1 }] });

  async function end(task: RunningTask, job: JobRow, change: Parameters<typeof moveJob>[3]): Promise<void> {
    await database.transaction(async (tx) => {
      await task.complete(tx);
      const from = ['QUEUED', 'RUNNING', 'CANCELLATION_REQUESTED'] as const;
      await moveJob(tx, job.id, from, { ...change, completed_at: isoMicros(now) });
      await announceEnd(ports.announce, tx, job, change.status ?? job.status);
    });
    recordJob(job, change.status ?? job.status);
  }

  /** The span that those of its requests are within. */
  function recordJob(job: JobRow, status: JobRow['status']): void {
    const place = { traceId: toTraceId(job.id), spanId: toSpanId(job.id), parentId: '', isWithin: false };
    const isDone = status === 'SUCCESS';
    ports.recordSpan?.({
      ...{ scope: job.caller, place, requestId: job.id, name: `batch ${job.endpoint}`, operation: 'batch' },
      startedAt: Date.parse(job.started_at ?? job.created_at),
      endedAt: now(),
      status: isDone ? 200 : status === 'CANCELLED' ? CANCELED : FAILED,
      errorType: isDone ? undefined : status.toLowerCase(),
      model: job.model ?? undefined,
    });
  }

  const handler = (task: RunningTask, { signal }: { signal: AbortSignal }) => run(task, signal);
  return createTaskRunner({
    database,
    now,
    log,
    queues: { [BATCH_QUEUE]: { handler, concurrency: JOBS_AT_ONCE, turns: TURNS, leaseMs: LEASE_MS } },
  });
}
