import { type Clock, isoMicros } from '../../../kit/base/clock.ts';
import type { Database } from '../../../kit/db/index.ts';
import { DEATHS_MAX, RESUME_AGAIN_MS } from './limits.ts';
import { parkRun } from './store/quarantine.ts';
import { deleteResumes, insertResumes, listResumes, type Resume, updateResume } from './store/resumes.ts';
import type { OnSetAside } from './work-unit.ts';

/**
 * What a server wakes first after its start it may not survive. So it writes down the runs before, and that they ended
 * well: what a server that died had in hand is tried alone, and set aside after three deaths without being read.
 */
export function createResumption(options: { database: Database; now: Clock; onSetAside: OnSetAside }) {
  const { database, now, onSetAside } = options;
  const { db } = database;
  /** Of servers that died, and of those that are at it; undefined before the first look. */
  let left: Map<string, Resume> | undefined;
  let isProven = false;

  /** No other process has the database on SQLite, so a mark of another server is one of a server that died. */
  const isOfTheDead = ({ since_ms }: Resume) => database.kind === 'sqlite' || since_ms + RESUME_AGAIN_MS <= now();

  async function setAside(runId: string): Promise<void> {
    const reason = `${DEATHS_MAX} servers did not survive it.`;
    await database.transaction(async (tx) => {
      const parked = await parkRun(tx, runId, { at: isoMicros(now), deaths: DEATHS_MAX, reason });
      await deleteResumes(tx, [runId]);
      if (parked) await onSetAside(tx, parked);
    });
  }

  /** Tries what is left, one run after the other. */
  async function tryAlone(runs: Map<string, Resume>, wakeRun: (runId: string) => Promise<number>): Promise<number> {
    let count = 0;
    for (const mark of runs.values()) {
      if (!isOfTheDead(mark)) continue;
      if (mark.deaths >= DEATHS_MAX) await setAside(mark.run_id);
      else if (await updateResume(db, mark, now())) {
        count += await wakeRun(mark.run_id);
        await deleteResumes(db, [mark.run_id]);
      }
      runs.delete(mark.run_id);
    }
    return count;
  }

  return {
    /** Whether a round has ended well since the start, so that the next ones need no care. */
    get isOver(): boolean {
      return isProven && left?.size === 0;
    },
    /** Wakes what is due of these runs, and returns how much there was. */
    async wake(runIds: string[], wakeRun: (runId: string) => Promise<number>): Promise<number> {
      left ??= new Map((await listResumes(db)).map((mark) => [mark.run_id, mark]));
      const suspects = new Set(left.keys());
      const alone = await tryAlone(left, wakeRun);
      const others = runIds.filter((runId) => !suspects.has(runId));
      if (others.length === 0) return alone;
      const taken = await insertResumes(db, others, now());
      const counts = await Promise.all(taken.map(wakeRun));
      await deleteResumes(db, taken);
      isProven ||= taken.length > 0;
      return counts.reduce((sum, count) => sum + count, alone);
    },
  };
}
