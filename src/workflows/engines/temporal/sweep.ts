import type { Clock } from '../../../kit/base/clock.ts';
import type { Logger } from '../../../kit/base/log.ts';
import type { Database } from '../../../kit/db/index.ts';
import { UnknownKey } from '../../payloads/seal.ts';
import type { CatchUp } from './catch-up.ts';
import type { Cluster } from './cluster.ts';
import { findByRun, listOpen, type TemporalRun } from './store.ts';

const INTERVAL_MS = 2000;
/** Temporal's index lags behind, so each round overlaps the previous one. */
const OVERLAP_MS = 60_000;
const PAGE = 1000;
/** By then workers have said again what they could not while no server ran, or given it up. */
const SETTLED_MS = 20_000;

/**
 * Polls for runs that ended without a report: they timed out or their worker died. A round costs one query, and one
 * call to Temporal per workspace with open runs.
 */
export function createSweep(options: {
  database: Database;
  cluster: Cluster;
  ensureStarted: (run: TemporalRun) => Promise<TemporalRun>;
  refresh: (run: TemporalRun) => Promise<TemporalRun>;
  catchUp: Pick<CatchUp, 'ofOpenRun'>;
  now: Clock;
  log: Logger;
}) {
  const { database, cluster, ensureStarted, refresh, catchUp, now, log } = options;
  const { db } = database;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** The first round checks every open run: reports may have been lost while no server ran. */
  let lookedMs = 0;
  const startedMs = now();
  let isSettled = false;
  let hasWarned = false;

  async function round(): Promise<void> {
    const beganMs = now();
    const isFirst = lookedMs === 0;
    const isSettling = !isSettled && beganMs - startedMs >= SETTLED_MS;
    const ended = new Map<string, Set<string>>();
    for (let after = ''; ; ) {
      const page = await listOpen(db, after, PAGE);
      for (const { run_id, workspace_id, temporal_run_id } of page) {
        if (temporal_run_id !== null && !isFirst && !ended.has(workspace_id))
          ended.set(workspace_id, new Set(await cluster.listEnded(workspace_id, lookedMs - OVERLAP_MS)));
        const mayHaveEnded = isFirst || temporal_run_id === null || ended.get(workspace_id)?.has(temporal_run_id);
        const run = mayHaveEnded || isSettling ? await findByRun(db, workspace_id, run_id) : undefined;
        if (run && mayHaveEnded)
          await (temporal_run_id === null ? startLate(run) : refresh(run)).catch(leaveSealed(run));
        // Runs that began later had this server from the start.
        if (run && (isFirst || isSettling) && Date.parse(run.row.started_at) < startedMs) await catchUp.ofOpenRun(run);
      }
      after = page.at(-1)?.run_id ?? '';
      if (page.length < PAGE) break;
    }
    lookedMs = beganMs;
    isSettled ||= isSettling;
  }

  /** A run whose encryption key is missing stays open and does not block the others. */
  function leaveSealed({ row }: TemporalRun): (error: unknown) => void {
    return (error) => {
      if (!(error instanceof UnknownKey)) throw error;
      log.warn({ err: error, run_id: row.run_id }, 'the end of a run on Temporal cannot be read');
    };
  }

  /** Recent starts have a call under way; only older ones are repeated. */
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
          if (!hasWarned) log.warn({ err: error }, 'open runs could not be read from Temporal');
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
