import { setTimeout as sleep } from 'node:timers/promises';
import type { FileService } from '../files/index.ts';
import { type Clock, isoMicros } from '../kit/base/clock.ts';
import { uuidv7 } from '../kit/base/ids.ts';
import type { Logger } from '../kit/base/log.ts';
import { ownTurn } from '../kit/base/own-turn.ts';
import { type Blobs, CONTENT_GRACE_MS, deletedContent } from '../kit/blobs/index.ts';
import type { Database } from '../kit/db/index.ts';
import type { Announce } from '../kit/events/index.ts';
import type { WatchQueue } from '../kit/fair-queue/index.ts';
import type { RequestContext, Scope } from '../kit/http/index.ts';
import type { NewTask, Tasks } from '../kit/tasks/index.ts';
import type { RecordSpan } from '../metering/index.ts';
import { type Authority, tenantOf } from '../tenants/index.ts';
import { announceEnd } from './announce-end.ts';
import { batchErrors } from './errors.ts';
import { readOutputs } from './read-outputs.ts';
import type { CallEndpoint } from './run/execute-line.ts';
import { BATCH_QUEUE, createJobRunner } from './run/job-runner.ts';
import { createPace } from './run/pace.ts';
import { type BatchJob, type CreateBatchJobRequest, INLINE_REQUESTS_MAX, type JobsQuery } from './schema.ts';
import {
  countEarlier,
  deleteJob,
  deleteResults,
  findJob,
  findNeededBlobs,
  hasEnded,
  insertJob,
  type JobRow,
  listEndedWithResults,
  listJobs,
  listJobsAfter,
  listQueued,
  moveJob,
} from './store.ts';

/** High, because each crash of a server is an attempt: a job whose task is dead would stay RUNNING for ever. */
const TASK_ATTEMPTS_MAX = 1000;
const HOUR_MS = 60 * 60 * 1000;
const FILE_REQUESTS_MAX = 1_000_000;
const DELETED_AT_ONCE = 5000;
/** Then the event loop serves others. */
const CHARACTERS_PER_TURN = 256 * 1024;
const LOOKED_AT_ONCE = 500;

export type AnyBatchRequest = Omit<CreateBatchJobRequest, 'endpoint'> & { endpoint: string };

export type BatchService = {
  /** The endpoint is any path that takes POST: other APIs have batches of their own. */
  create(scope: Scope, request: AnyBatchRequest): Promise<BatchJob>;
  list(scope: Scope, query: JobsQuery): Promise<{ data: BatchJob[]; object: 'list'; total: number }>;
  /** The newest first, after a job or from the first one on. */
  listAfter(scope: Scope, after: string | undefined, limit: number): Promise<BatchJob[]>;
  /** A job that waits says what for in the header `tramontane-waits-for`. */
  get(call: Pick<RequestContext, 'scope' | 'setHeader'>, id: string, inline: boolean): Promise<BatchJob>;
  cancel(scope: Scope, id: string): Promise<BatchJob>;
  remove(scope: Scope, id: string): Promise<{ id: string; object: 'batch'; deleted: true }>;
  /** Removes those of these inline requests that no job needs any more. */
  removeContent(sha256s: string[]): Promise<void>;
  /** Deletes what ended jobs no longer need. */
  prune(): Promise<void>;
  start(): void;
  stop(limitMs: number): Promise<void>;
};

export function createBatchService(deps: {
  database: Database;
  tasks: Tasks;
  files: FileService;
  /** Store the requests of inline jobs. */
  blobs: Blobs;
  callEndpoint: CallEndpoint;
  serves: (endpoint: string) => boolean;
  authority: Authority;
  /** Requests of all jobs that this process runs at a time. */
  concurrency: number;
  /** Of one organization. */
  perTenantMax?: number | undefined;
  /** The time limit of one request. */
  requestMs: number;
  watch?: WatchQueue | undefined;
  lastArrivalMs: () => number;
  announce?: Announce | undefined;
  recordSpan?: RecordSpan | undefined;
  now: Clock;
  log: Logger;
}): BatchService {
  const { database, tasks, files, blobs, callEndpoint, authority, now, log } = deps;
  const { db } = database;
  const isReferenced = (sha256s: string[]) => findNeededBlobs(db, sha256s);
  const runner = createJobRunner({
    database,
    files,
    blobs,
    callEndpoint,
    authority,
    now,
    log,
    recordSpan: deps.recordSpan,
    announce: deps.announce,
    pace: createPace(deps),
    linesMax: deps.concurrency,
    requestMs: deps.requestMs,
    wait: (ms, signal) => sleep(ms, undefined, { signal }),
  });

  /** Jobs that wait for their turn end too when their caller may not run them any more. */
  async function endRefused(): Promise<void> {
    for (let last = ''; ; ) {
      const waiting = await listQueued(db, last, LOOKED_AT_ONCE);
      for (const { id, caller } of waiting) {
        const lost = await authority.refusalOf(caller, 'batch:write');
        const errors = [{ message: lost?.message ?? '', count: 1 }];
        const ended = { status: 'FAILED', completed_at: isoMicros(now), errors } as const;
        if (!lost) continue;
        await database.transaction(async (tx) => {
          const job = await moveJob(tx, id, ['QUEUED'], ended);
          if (job) await announceEnd(deps.announce, tx, job, job.status);
        });
      }
      last = waiting.at(-1)?.id ?? '';
      if (waiting.length < LOOKED_AT_ONCE) return;
    }
  }
  authority.onChange(endRefused);

  async function find(scope: Scope, id: string): Promise<JobRow> {
    const job = await findJob(db, scope.workspace_id, id);
    if (!job) throw batchErrors.batch_job_not_found(id);
    return job;
  }

  async function describePlace(job: JobRow): Promise<string> {
    return `Its turn has not come: ${await countEarlier(db, job)} earlier jobs of the workspace have not ended.`;
  }

  async function storeInput(
    scope: Scope,
    { input_files, requests }: Pick<CreateBatchJobRequest, 'input_files' | 'requests'>,
  ): Promise<Pick<JobRow, 'input_files' | 'input_blob' | 'input_bytes' | 'total_requests'>> {
    const ids = input_files ?? [];
    if (requests && ids.length > 0)
      throw batchErrors.batch_input_invalid('Send `requests` or `input_files`, not both.');
    if (requests) {
      if (requests.length === 0) throw batchErrors.batch_input_invalid('`requests` is empty: send at least one.');
      const { sha256, bytes } = await blobs.put(linesOf(requests));
      return { input_files: [], input_blob: sha256, input_bytes: bytes, total_requests: requests.length };
    }
    if (ids.length === 0)
      throw batchErrors.batch_input_invalid('Send `requests`, or the ids of JSONL files as `input_files`.');
    const found = await files.getAll(scope, ids);
    const other = found.find(({ purpose }) => purpose !== 'batch');
    if (other) throw batchErrors.batch_file_purpose_invalid(other.id);
    const total = found.reduce((sum, { num_lines }) => sum + (num_lines ?? 0), 0);
    if (total === 0)
      throw batchErrors.batch_input_invalid('The input files hold no request: write one JSON object per line.');
    if (total > FILE_REQUESTS_MAX)
      throw batchErrors.batch_input_invalid(`A job takes at most ${FILE_REQUESTS_MAX} requests.`);
    return { input_files: ids, input_blob: null, input_bytes: 0, total_requests: total };
  }

  return {
    async create(scope, request) {
      const { endpoint, model = null, agent_id = null, metadata = null, timeout_hours } = request;
      if (!deps.serves(endpoint)) throw batchErrors.batch_endpoint_unsupported(endpoint);
      const input = await storeInput(scope, request);
      const nowMs = now();
      const job: JobRow = {
        id: uuidv7(nowMs),
        workspace_id: scope.workspace_id,
        user_id: scope.user_id,
        caller: { ...scope, permissions: [...scope.permissions] },
        endpoint,
        model,
        agent_id,
        metadata,
        ...input,
        status: 'QUEUED',
        succeeded_requests: 0,
        failed_requests: 0,
        output_file: null,
        error_file: null,
        errors: [],
        created_at: isoMicros(now),
        started_at: null,
        completed_at: null,
        ends_at_ms: nowMs + timeout_hours * HOUR_MS,
        waits_for: null,
      };
      await database.transaction(async (tx) => {
        await insertJob(tx, job);
        await tasks.enqueue(tx, taskOf(job.id, scope));
      });
      return toJob(job);
    },
    async list(scope, query) {
      const { jobs, total } = await listJobs(database, scope, query);
      return { data: jobs.map(toJob), object: 'list', total };
    },
    async listAfter(scope, after, limit) {
      const position = after === undefined ? undefined : await find(scope, after);
      return (await listJobsAfter(db, scope.workspace_id, position, limit)).map(toJob);
    },
    async get({ scope, setHeader }, id, inline) {
      const job = await find(scope, id);
      const waitsFor = job.status === 'QUEUED' ? await describePlace(job) : job.waits_for;
      if (waitsFor !== null && !hasEnded(job)) setHeader('tramontane-waits-for', waitsFor);
      if (!inline) return toJob(job);
      if (job.total_requests > INLINE_REQUESTS_MAX) throw batchErrors.batch_too_large_for_inline(INLINE_REQUESTS_MAX);
      return { ...toJob(job), outputs: await readOutputs({ db, files }, job, scope) };
    },
    async cancel(scope, id) {
      const job = await find(scope, id);
      const cancelled = await database.transaction(async (tx) => {
        const ended = { status: 'CANCELLED', completed_at: isoMicros(now) } as const;
        const waiting = await moveJob(tx, job.id, ['QUEUED'], ended);
        if (waiting) await announceEnd(deps.announce, tx, waiting, waiting.status);
        if (waiting) return waiting;
        const stopping = await moveJob(tx, job.id, ['RUNNING'], { status: 'CANCELLATION_REQUESTED' });
        // One that was quarantined runs again, to find that it is to end.
        if (stopping) await tasks.enqueueByHand(tx, taskOf(job.id, job.caller));
        return stopping;
      });
      // Cancelling twice, or too late, changes nothing.
      return toJob(cancelled ?? (await find(scope, id)));
    },
    async remove(scope, id) {
      const job = await find(scope, id);
      if (!hasEnded(job)) throw batchErrors.batch_job_running();
      await database.transaction(async (tx) => {
        await deleteJob(tx, job.workspace_id, job.id);
        if (job.input_blob !== null) await tasks.enqueue(tx, deletedContent('batch', [job.input_blob], now()));
      });
      return { id: job.id, object: 'batch', deleted: true };
    },
    async removeContent(sha256s) {
      await blobs.collectSome(sha256s, { isReferenced, untouchedSince: new Date(now() - CONTENT_GRACE_MS) });
    },
    async prune() {
      for (const id of await listEndedWithResults(db)) {
        while ((await database.transaction((tx) => deleteResults(tx, id, DELETED_AT_ONCE))) === DELETED_AT_ONCE);
      }
      const untouchedSince = new Date(now() - HOUR_MS);
      await blobs.collect({ isReferenced, untouchedSince });
      await blobs.sweep({ untouchedSince });
    },
    start: () => runner.start(),
    stop: (limitMs) => runner.stop(limitMs),
  };
}

async function* linesOf(requests: unknown[]): AsyncGenerator<Uint8Array> {
  let lines = '';
  for (const request of requests) {
    lines += `${JSON.stringify(request)}\n`;
    if (lines.length < CHARACTERS_PER_TURN) continue;
    yield Buffer.from(lines);
    lines = '';
    await ownTurn();
  }
  yield Buffer.from(lines);
}

function toJob(row: JobRow): BatchJob {
  const { id, input_files, metadata, endpoint, model, agent_id, output_file, error_file, errors, status } = row;
  const { total_requests, succeeded_requests, failed_requests } = row;
  return {
    id,
    object: 'batch',
    input_files,
    metadata,
    endpoint,
    model,
    agent_id,
    output_file,
    error_file,
    errors,
    outputs: null,
    status,
    created_at: secondsOf(row.created_at),
    total_requests,
    completed_requests: succeeded_requests + failed_requests,
    succeeded_requests,
    failed_requests,
    started_at: row.started_at === null ? null : secondsOf(row.started_at),
    completed_at: row.completed_at === null ? null : secondsOf(row.completed_at),
  };
}

function secondsOf(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000);
}

function taskOf(jobId: string, scope: Parameters<typeof tenantOf>[0]): NewTask {
  const payload = { job_id: jobId };
  return { queue: BATCH_QUEUE, payload, dedupeKey: jobId, attemptsMax: TASK_ATTEMPTS_MAX, tenant: tenantOf(scope) };
}
