import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Database, Tx } from '../../kit/db/index.ts';
import type { Events, NewEvent } from '../../kit/events/index.ts';
import type { Noted } from '../schema/memo.ts';
import type { StreamEvent } from '../schema/responses.ts';
import { deleteFailedConversation, releaseConversation } from '../store/conversations.ts';
import { appendEntries, deleteEntriesFrom } from '../store/entries.ts';
import { endRun, updateProgress } from '../store/runs.ts';
import type { EventFlusher, EventSource } from './flush-events.ts';
import { type Journal, mergeDeltas, RunGone } from './journal.ts';

export type JournalPorts = { database: Database; events: Events; now: Clock; flusher: EventFlusher };

type RunPlace = {
  runId: string;
  conversationId: string;
  /** Whether somebody watches the words come; otherwise each message is one event. */
  streams: boolean;
  /** Where the client's inputs begin, which a run that fails before its first output takes back; null keeps them. */
  takeBackFrom: number | null;
  /** The run made the conversation, so that nothing of it remains. */
  deletesOnFailure: boolean;
  /** Ends the run's task in the same transaction; throws when it belongs to another process by now. */
  complete(tx: Tx): Promise<void>;
};

export const streamOf = (conversationId: string): string => `conversation:${conversationId}`;

/** Entries, events and progress of one step commit together, so that a reader and a successor see the same. */
export function createDurableJournal({ database, events, now, flusher }: JournalPorts, place: RunPlace): Journal {
  const { runId, conversationId, streams, takeBackFrom, deletesOnFailure, complete } = place;
  const stream = streamOf(conversationId);
  let waiting: StreamEvent[] = [];
  let taken: StreamEvent[] = [];
  const held: Noted[] = [];
  /** The writes of a run are in line: two transactions at once could number its events in the wrong order. */
  let line: Promise<unknown> = Promise.resolve();

  const source: EventSource = {
    stream,
    take(): NewEvent[] {
      taken = streams ? waiting : mergeDeltas(waiting);
      waiting = [];
      return taken.map((event) => ({ type: event.type, data: event }));
    },
    putBack() {
      waiting = [...taken, ...waiting];
    },
    inLine(write) {
      const written = line.then(write);
      line = written.catch(() => undefined);
      return written;
    },
  };

  // Events are taken outside the transaction, which PostgreSQL may run twice.
  const write = (work: (tx: Tx, news: NewEvent[]) => Promise<void>): Promise<void> =>
    source.inLine(async () => {
      const news = source.take();
      try {
        await database.transaction((tx) => work(tx, news));
      } catch (error) {
        source.putBack();
        throw error;
      }
    });

  // A client that tries again after a failure finds things as they were, and does not say everything twice.
  async function takeBack(tx: Tx): Promise<void> {
    if (deletesOnFailure) await deleteFailedConversation(tx, conversationId);
    else if (takeBackFrom !== null) await deleteEntriesFrom(tx, conversationId, takeBackFrom);
  }

  return {
    emit(event) {
      waiting.push(event);
      if (streams) flusher.expect(source);
    },
    commit: ({ entries = [], progress }) =>
      write(async (tx, news) => {
        if ((await appendEntries(tx, conversationId, runId, entries)) === undefined) throw new RunGone();
        await updateProgress(tx, runId, progress);
        await events.append(tx, stream, news);
      }),
    hold(entries) {
      held.push(...entries);
    },
    end(last, progress, outcome) {
      waiting.push(last);
      return write(async (tx, news) => {
        await complete(tx);
        if (held.length > 0 && (await appendEntries(tx, conversationId, runId, held)) === undefined)
          throw new RunGone();
        if (!(await releaseConversation(tx, conversationId, runId, isoMicros(now)))) throw new RunGone();
        if (outcome.error && progress.outputs === 0) await takeBack(tx);
        const event_to = await events.append(tx, stream, news);
        await endRun(tx, runId, { state: outcome.error ? 'failed' : 'done', progress, outcome, event_to });
      });
    },
  };
}
