import type { Noted } from '../schema/memo.ts';
import type { StreamEvent } from '../schema/responses.ts';
import type { Outcome } from '../schema/run.ts';
import type { Journal } from './journal.ts';

export type MemoryJournal = Journal & {
  outputs: Noted[];
  outcome: Outcome | undefined;
  /** The events as they come; ends after the last. */
  events(): AsyncGenerator<StreamEvent, undefined>;
};

/** Keeps nothing: for requests with `store: false`, whose client must stay to the end. */
export function createMemoryJournal(): MemoryJournal {
  const waiting: StreamEvent[] = [];
  let isEnded = false;
  let wake: () => void = () => undefined;
  const show = (event: StreamEvent): void => {
    waiting.push(event);
    wake();
  };
  const journal: MemoryJournal = {
    outputs: [],
    outcome: undefined,
    emit: show,
    async commit({ entries = [] }) {
      journal.outputs.push(...entries);
    },
    hold(entries) {
      journal.outputs.push(...entries);
    },
    async end(last, _progress, outcome) {
      journal.outcome = outcome;
      isEnded = true;
      show(last);
    },
    async *events() {
      for (;;) {
        yield* waiting.splice(0);
        if (isEnded && waiting.length === 0) return undefined;
        if (waiting.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
  return journal;
}
