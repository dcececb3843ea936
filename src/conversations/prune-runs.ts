import type { Clock } from '../kit/base/clock.ts';
import type { Database } from '../kit/db/index.ts';
import type { Events } from '../kit/events/index.ts';
import { streamOf } from './run/durable-journal.ts';
import { conversationExists } from './store/conversations.ts';
import { keepResponses } from './store/responses.ts';
import { deleteRuns, findOldestRun, listEndedRuns } from './store/runs.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;
const RUNS_PER_TRANSACTION = 200;

/** Deletes runs that began a day ago and have ended, with their events; the entries and stored responses stay. */
export async function pruneRuns(ports: { database: Database; events: Events; now: Clock }): Promise<void> {
  const { database, events, now } = ports;
  for (;;) {
    const old = await listEndedRuns(database.db, now() - KEPT_MS, RUNS_PER_TRANSACTION);
    if (old.length === 0) return;
    const runIds = old.map(({ id }) => id);
    await database.transaction(async (tx) => {
      await keepResponses(tx, await deleteRuns(tx, runIds));
      for (const id of new Set(old.map(({ conversation_id }) => conversation_id))) {
        const stream = streamOf(id);
        const oldest = await findOldestRun(tx, id);
        if (oldest) await events.trim(tx, stream, oldest.event_from);
        else if (await conversationExists(tx, id)) await events.trim(tx, stream, await events.head(tx, stream));
        else await events.remove(tx, stream);
      }
    });
  }
}
