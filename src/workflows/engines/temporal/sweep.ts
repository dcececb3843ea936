import type { Clock } from '../../../kit/base/clock.ts';
import type { Logger } from '../../../kit/base/log.ts';
import type { Database } from '../../../kit/db/index.ts';
import { UnknownKey } from '../../payloads/seal.ts';
import type { Cluster } from './cluster.ts';
import { findByRun, listOpen, type TemporalRun } from './store.ts';

const INTERVAL_MS = 2000;
/** Temporal's index learns of an end with some delay; what ended before this long is asked about again. */
const OVERLAP_MS = 60_000;
const PAGE = 1000;

/**
 * Looks now and then for runs that ended without a word of a worker: they ran out of time, or their worker died. Each
 * server does; a round costs one read of our table, and one question to Temporal for each workspace with open runs.
 */
export function createSweep(options: {
  database: Database;
  cluster: Cluster;
  ensureStarted: (run: TemporalRun) => Promise<TemporalRun>;
  refresh: (run: TemporalRun) => Promise<TemporalRun>;
  now: Clock;
  log: Logger;
}) {
  const { database, cluster, ensureStarted, refresh, now, log } = options;
  const { db } = database;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** The first round asks about each open run: nobody listened while no server was there. */
  let lookedMs = 0;
  let hasWarned = false;

  async function round(): Promise<void> {
    const beganMs = now();
    const isFirst = lookedMs === 0;
    const ended = new Map<string, Set<string>>();
    for (let after = ''; ; ) {
      const page = await listOpen(db, after, PAGE);
      for (const { run_id, workspace_id, temporal_run_id } of page) {
        if (temporal_run_id !== null && !isFirst && !ended.has(workspace_id))
          ended.set(workspace_id, new Set(await cluster.listEnded(workspace_id, lookedMs - OVERLAP_MS)));
        const mayHaveEnded = isFirst || temporal_run_id === null || ended.get(workspace_id)?.has(temporal_run_id);
        const run = mayHaveEnded ? await findByRun(db, workspace_id, run_id) : undefined;
        if (run) await (temporal_run_id === null ? startLate(run) : refresh(run)).catch(leaveSealed(run));
      }
      after = page.at(-1)?.run_id ?? '';
      if (page.length < PAGE) break;
    }
    lookedMs = beganMs;
  }

  /** One that cannot be read for want of its key does not keep the others waiting: it stays open until the key is back. */
  function leaveSealed({ row }: TemporalRun): (error: unknown) => void {
    return (error) => {
      if (!(error instanceof UnknownKey)) throw error;
      log.warn({ err: error, run_id: row.run_id }, 'the end of a run on Temporal cannot be read');
    };
  }

  /** A start that is under way has its own call; only one that is old was given up by it. */
  async function startLate(run: TemporalRun): Promise<void> {
    if (now() - Date.parse(run.row.started_at) > 2 * INTERVAL_MS) await ensureStarted(run);
  }

  function plan(): void {
    timer = setTimeout(() => {
      running = round()
        .then(() => {
          hasWarned = false;
        })
        .catch((error: unknown) => {
          if (!hasWarned) log.warn({ err: error }, 'Temporal could not be asked about open runs');
          hasWarned = true;
        })
        .finally(() => timer && plan());
    }, INTERVAL_MS);
    timer.unref();
  }

  return {
    start: plan,
    async stop(): Promise<void> {
      clearTimeout(timer);
      timer = undefined;
      await running;
    },
    round,
  };
}
