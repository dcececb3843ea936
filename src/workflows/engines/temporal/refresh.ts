import type { Clock } from '../../../kit/base/clock.ts';
import type { Database } from '../../../kit/db/index.ts';
import { hasEnded } from '../../schema/statuses.ts';
import type { Payloads } from '../port/run-payloads.ts';
import type { CatchUp } from './catch-up.ts';
import type { Cluster } from './cluster.ts';
import { CODES, hasCode } from './grpc.ts';
import type { createHearOut } from './hear-out.ts';
import type { RunClose } from './read-close.ts';
import type { RunMirror } from './run-mirror.ts';
import { findByRun, findInput, nameTemporalRun, type TemporalRun } from './store.ts';

export type Refresh = (run: TemporalRun) => Promise<TemporalRun>;

/** Reads the state of open runs from Temporal and records it. */
export function createRefresh(options: {
  database: Database;
  cluster: Cluster;
  mirror: RunMirror;
  payloads: Payloads;
  catchUp: Pick<CatchUp, 'beforeEnd'>;
  hearOut: ReturnType<typeof createHearOut>;
  now: Clock;
}) {
  const { database, cluster, mirror, payloads, catchUp, hearOut, now } = options;
  const { db } = database;

  const again = async ({ row }: TemporalRun): Promise<TemporalRun> =>
    (await findByRun(db, row.workspace_id, row.run_id)) ?? { row, temporalRunId: null };

  /** Repeats a start that Temporal has not confirmed; the request is idempotent. */
  async function ensureStarted(run: TemporalRun): Promise<TemporalRun> {
    const { row } = run;
    if (run.temporalRunId !== null || hasEnded(row.status)) return run;
    const input = await payloads.unpack(row.workspace_id, await findInput(db, row.run_id));
    // A worker may have reported its Temporal id meanwhile.
    const current = await again(run);
    if (current.temporalRunId !== null) return current;
    try {
      const temporalRunId = await cluster.start(row, input);
      await nameTemporalRun(db, row.run_id, temporalRunId);
      return { row, temporalRunId };
    } catch (error) {
      if (!hasCode(error, CODES.alreadyExists, CODES.invalidArgument)) throw error;
      const message = `Temporal refused the start: ${(error as { details?: string }).details ?? (error as Error).message}`;
      await mirror.recordEnd(row, { status: 'FAILED', timeMs: now(), failure: { message, type: 'NotStarted' } });
      throw error;
    }
  }

  async function record(run: TemporalRun, end: RunClose | undefined): Promise<TemporalRun> {
    if (!end) return run;
    await catchUp.beforeEnd(run);
    await mirror.recordEnd(run.row, end);
    return again(run);
  }

  const afterReports = (run: TemporalRun) => async (end: RunClose | undefined) => {
    if (end) await hearOut(run, end);
    return end;
  };

  /** A run that Temporal does not have counts as failed. */
  const orLost = (error: unknown): RunClose => {
    if (!hasCode(error, CODES.notFound)) throw error;
    const failure = { message: 'Temporal does not know this run any more.', type: 'Lost' };
    return { status: 'FAILED', timeMs: now(), failure };
  };

  return {
    ensureStarted,

    async refresh(run: TemporalRun): Promise<TemporalRun> {
      if (hasEnded(run.row.status) || run.temporalRunId === null) return run;
      return record(run, await cluster.readEnd(run.row, run.temporalRunId).then(afterReports(run), orLost));
    },

    /** Returns when the run has ended, or when Temporal's long poll times out. */
    async follow(run: TemporalRun, signal: AbortSignal): Promise<TemporalRun> {
      if (hasEnded(run.row.status) || run.temporalRunId === null) return run;
      return record(run, await cluster.waitForEnd(run.row, run.temporalRunId, signal).then(afterReports(run), orLost));
    },
  };
}
