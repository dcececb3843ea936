import type { Noted } from '../schema/memo.ts';
import type { StreamEvent } from '../schema/responses.ts';
import type { Outcome, Progress } from '../schema/run.ts';

/** Where a run writes what happens. An entry is kept before the next step begins. */
export type Journal = {
  /** Shown soon; what is not shown when an entry is committed is shown with it. */
  emit(event: StreamEvent): void;
  /** Throws RunGone when the conversation was deleted, or the run belongs to another process by now. */
  commit(change: { entries?: Noted[]; progress: Progress }): Promise<void>;
  /** The same for the last entries, which are kept together with the end of the run: nothing comes between. */
  hold(entries: Noted[]): void;
  /** The last thing a run does. */
  end(last: StreamEvent, progress: Progress, outcome: Outcome): Promise<void>;
};

/** The run's right to append has ended from outside; there is nobody to tell. */
export class RunGone extends Error {}

/** Text that follows text in the same place is one event, where nobody watches it grow. */
export function mergeDeltas(events: readonly StreamEvent[]): StreamEvent[] {
  const merged: StreamEvent[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    if (
      last?.type === 'message.output.delta' &&
      event.type === 'message.output.delta' &&
      last.id === event.id &&
      last.content_index === event.content_index &&
      typeof last.content === 'string' &&
      typeof event.content === 'string'
    )
      merged[merged.length - 1] = { ...last, content: last.content + event.content };
    else merged.push(event);
  }
  return merged;
}
