import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../../kit/base/clock.ts';
import type { Database } from '../../../kit/db/index.ts';
import { listEmitted } from '../../store/emitted.ts';
import type { RunRow } from '../../store/run-tables.ts';
import type { RunClose } from './read-close.ts';
import type { TemporalRun } from './store.ts';

/** The key under which a worker's word is stored that it has said everything about a run. */
export const ALL_SAID = 'ended';
/** A worker that has not said it by then is gone, and took with it what it had to say. */
const PATIENCE_MS = 3000;
const LOOK_MS = 25;
const LOOK_MS_MAX = 200;

/**
 * Waits for the reports that our own worker sends beside the end of a run: Temporal may show the end before they arrive, and
 * a run that has ended publishes no more events.
 */
export function createHearOut(options: {
  database: Database;
  isOfficial: (row: RunRow) => Promise<boolean>;
  now: Clock;
}) {
  const { database, isOfficial, now } = options;
  return async ({ row }: TemporalRun, end: RunClose): Promise<void> => {
    // These ends are not the worker's, which has nothing to say about them.
    if (end.status === 'TERMINATED' || end.status === 'TIMED_OUT') return;
    const untilMs = Math.min(now(), end.timeMs) + PATIENCE_MS;
    if (now() >= untilMs || (await isOfficial(row))) return;
    for (let waitMs = LOOK_MS; now() < untilMs; waitMs = Math.min(2 * waitMs, LOOK_MS_MAX)) {
      if ((await listEmitted(database.db, row.run_id, [ALL_SAID])).size > 0) return;
      await delay(waitMs);
    }
  };
}
