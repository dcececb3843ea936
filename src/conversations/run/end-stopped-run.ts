import type { Clock } from '../../kit/base/clock.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import type { Tx } from '../../kit/db/index.ts';
import type { Events } from '../../kit/events/index.ts';
import type { RunError } from '../schema/run.ts';
import { releaseConversation } from '../store/conversations.ts';
import { endRun, findRun } from '../store/runs.ts';
import { endEventOf, streamOf } from './durable-journal.ts';

/** Ends a run from outside its execution, which finds that it is gone. False when it has ended already. */
export async function endStoppedRun(
  { events, now }: { events: Events; now: Clock },
  tx: Tx,
  runId: string,
  error: RunError,
  isCancelled = false,
): Promise<boolean> {
  const running = await findRun(tx, runId);
  if (running?.state !== 'running') return false;
  const { progress, conversation_id } = running;
  const outcome = { error, endedMs: now(), ...(isCancelled && { isCancelled }) };
  const data = endEventOf(outcome, progress, now);
  if ((await releaseConversation(tx, conversation_id, { runId, at: isoMicros(now), added: 0 })) === undefined)
    return false;
  const event_to = await events.append(tx, streamOf(conversation_id), [{ type: data.type, data }]);
  await endRun(tx, runId, { state: 'failed', progress, outcome, event_to });
  return true;
}
