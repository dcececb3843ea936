import type { EntryOf } from '../schema/entries.ts';
import type { Noted } from '../schema/memo.ts';

/** Calls that wait for the client: for its result, or for its word whether the server may run them. */
export function openCalls(history: readonly Noted[]): EntryOf<'function.call'>[] {
  const open = new Map<string, EntryOf<'function.call'>>();
  for (const { entry, memo } of history) {
    if (entry.type === 'function.call') open.set(entry.tool_call_id, entry);
    else if (entry.type === 'function.result') open.delete(entry.tool_call_id);
    else if (memo?.call) open.delete(memo.call.id);
  }
  return [...open.values()];
}
