import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import { waitForTurn } from '../../kit/base/own-turn.ts';
import { type Line, readLines } from '../../kit/base/read-lines.ts';
import type { Database, Db } from '../../kit/db/index.ts';
import { ApiError } from '../../kit/http/index.ts';
import type { Authority } from '../../tenants/index.ts';
import type { BatchJobStatus } from '../schema.ts';
import { hasEnded, type JobRow, listPositions } from '../store.ts';
import { describeWait } from './describe-wait.ts';
import { type CallEndpoint, executeLine, type LineStep } from './execute-line.ts';
import { createLiveScope } from './live-scope.ts';
import type { Pace } from './pace.ts';
import { createResultWriter } from './result-writer.ts';

const POSITIONS_PER_PAGE = 10_000;
/** Lines of a job that are in memory at the same time; one of any length always is. */
const OPEN_BYTES_MAX = 4 * 1024 * 1024;

/** A job that ends before its last line. */
class Ended extends Error {
  readonly status: BatchJobStatus;
  constructor(status: BatchJobStatus, message = '') {
    super(message);
    this.status = status;
  }
}

export type JobPorts = {
  database: Database;
  authority: Pick<Authority, 'scopeOf' | 'follow' | 'refusalOf'>;
  callEndpoint: CallEndpoint;
  pace: Pace;
  /** Lines of one job that wait or run at the same time. */
  linesMax: number;
  requestMs: number;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  now: Clock;
  log: Logger;
};

/** `message`: why it ended before its last line. */
export type Outcome = { status: BatchJobStatus; lines: number; message?: string };

/**
 * Runs every line without a result, several at a time. Returns how the job ends; throws when this process must give it
 * up, and another continues with the lines that still have no result.
 */
export async function executeLines(
  ports: JobPorts,
  job: JobRow,
  contents: AsyncIterable<Uint8Array>,
  given: AbortSignal,
): Promise<Outcome> {
  const { database, callEndpoint, pace, wait, requestMs, linesMax, now, log } = ports;
  const isFinished = await loadFinished(database.db, job.id);
  const end = new AbortController();
  const signal = AbortSignal.any([given, end.signal]);
  const results = createResultWriter(database, job.id, {
    written(row) {
      if (!row || row.status === 'CANCELLATION_REQUESTED' || hasEnded(row)) end.abort(new Ended('CANCELLED'));
      else if (now() >= job.ends_at_ms) end.abort(new Ended('TIMEOUT_EXCEEDED'));
    },
    failed: (error) => end.abort(error),
    waitsFor: () => describeWait([...steps.values()], job, pace),
  });
  const scope = createLiveScope(ports.authority, job);
  const unfollow = ports.authority.follow(job.caller, 'batch:write', ({ message }) =>
    end.abort(new Ended('FAILED', message)),
  );
  const caller = { organization: job.caller.organization_id, key: job.caller.key_id };
  const steps = new Map<number, LineStep>();
  const running = new Set<Promise<void>>();
  let position = 0;
  let openBytes = 0;
  let freed: () => void = () => undefined;
  const onFailure = (err: unknown, at: number) =>
    log.error({ err, job: job.id, position: at }, 'a batch request failed');

  /** Waits until this job may have one more line in memory. */
  async function makeRoom(bytes: number): Promise<void> {
    while (running.size > 0 && (running.size >= linesMax || openBytes + bytes > OPEN_BYTES_MAX))
      await new Promise<void>((resolve) => {
        freed = resolve;
      });
    signal.throwIfAborted();
  }

  async function executeAll(): Promise<Outcome> {
    for await (const line of readLines(contents)) {
      const at = position++;
      if (isFinished(at)) continue;
      const bytes = sizeOf(line);
      await makeRoom(bytes);
      // Lines with mistakes wait for nothing else.
      await waitForTurn(caller);
      openBytes += bytes;
      const onStep = (step: LineStep) => void steps.set(at, step);
      const context = { job, scope, position: at, callEndpoint, pace, requestMs, onStep, wait, onFailure, signal };
      const execution = executeLine(line, context)
        .then((row) => results.add(row))
        .catch((error) => end.abort(isRefusal(error) ? new Ended('FAILED', error.message) : error))
        .finally(() => {
          openBytes -= bytes;
          steps.delete(at);
          running.delete(execution);
          freed();
        });
      running.add(execution);
    }
    await Promise.all(running);
    signal.throwIfAborted();
    return { status: 'SUCCESS', lines: position };
  }

  try {
    return await executeAll();
  } catch (error) {
    await Promise.all(running);
    given.throwIfAborted();
    const { reason } = end.signal;
    if (reason instanceof Ended) return { status: reason.status, lines: position, message: reason.message };
    throw error;
  } finally {
    unfollow();
    await results.close();
  }
}

/** The caller may not run requests any more. A failure of the server itself is another matter: the job is tried again. */
function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500;
}

function sizeOf(line: Line): number {
  return 'bytes' in line ? line.bytes.length : 0;
}

/** Finds the lines that have a result already. One bit each, because there may be a million. */
async function loadFinished(db: Db, jobId: string): Promise<(position: number) => boolean> {
  let bits = new Uint8Array(1024);
  for (let after = -1; ; ) {
    const positions = await listPositions(db, jobId, after, POSITIONS_PER_PAGE);
    const last = positions.at(-1);
    if (last === undefined) break;
    if (last >> 3 >= bits.length) {
      const larger = new Uint8Array((last >> 3) * 2 + 1);
      larger.set(bits);
      bits = larger;
    }
    for (const position of positions) bits[position >> 3] = (bits[position >> 3] ?? 0) | (1 << (position & 7));
    after = last;
  }
  return (position) => ((bits[position >> 3] ?? 0) & (1 << (position & 7))) !== 0;
}
