import { type Clock, isoMicros } from '../kit/base/clock.ts';
import { hexId } from '../kit/base/ids.ts';
import { conversationErrors } from './errors.ts';
import { listOpenCalls } from './run/run-turns.ts';
import type { Entry, StoredEntry } from './schema/entries.ts';
import type { ToolCallConfirmation } from './schema/requests.ts';
import type { PendingCall } from './schema/run.ts';

export type Confirmed = {
  /** Entries whose status changes. */
  changed: Entry[];
  /** Allowed calls, which the run begins with. */
  pending: PendingCall[];
  /** The results of denied calls, for the model. */
  rejections: StoredEntry[];
};

export function parseConfirmations(
  confirmations: readonly ToolCallConfirmation[],
  history: readonly StoredEntry[],
  now: Clock,
): Confirmed {
  const waiting = new Map(
    listOpenCalls(history)
      .filter(({ confirmation_status }) => confirmation_status === 'pending')
      .map((entry) => [entry.tool_call_id, entry]),
  );
  const confirmed: Confirmed = { changed: [], pending: [], rejections: [] };
  for (const { tool_call_id, confirmation } of confirmations) {
    const call = waiting.get(tool_call_id);
    if (!call) throw conversationErrors.confirmation_not_pending(tool_call_id);
    waiting.delete(tool_call_id);
    const isAllowed = confirmation === 'allow';
    const confirmation_status = isAllowed ? ('allowed' as const) : ('denied' as const);
    confirmed.changed.push({ ...call, confirmation_status, completed_at: isoMicros(now) });
    if (isAllowed) {
      const given = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
      const pending = { id: tool_call_id, name: call.name, arguments: given };
      confirmed.pending.push({ ...pending, entryId: hexId('tool_exec_'), started: false });
    } else {
      const entry: Entry = {
        object: 'entry',
        type: 'function.result',
        id: hexId('fr_'),
        created_at: isoMicros(now),
        completed_at: null,
        tool_call_id,
        result: 'The user did not allow this call.',
      };
      confirmed.rejections.push({ entry, memo: null });
    }
  }
  return confirmed;
}
