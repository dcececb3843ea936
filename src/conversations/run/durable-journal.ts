import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Database, Tx } from '../../kit/db/index.ts';
import type { Announce, Events, NewEvent } from '../../kit/events/index.ts';
import type { StoredEntry } from '../schema/entries.ts';
import type { StreamEvent } from '../schema/responses.ts';
import type { Outcome, Progress } from '../schema/run.ts';
import { appendEntries, deleteFailedConversation, insertEntries, releaseConversation } from '../store/conversations.ts';
import { deleteEntriesFrom } from '../store/entries.ts';
import { dropResponse } from '../store/responses.ts';
import { endRun, type RunRow, updateProgress } from '../store/runs.ts';
import type { Journal } from './run.ts';

const FLUSH_REST_MS = 50;

export type JournalPorts = {
  database: Database;
  events: Events;
  now: Clock;
  log: Logger;
  announce?: Announce | undefined;
};

/** `complete` ends the run's task in the transaction; it throws when another process has the task by now. */
type JournalOptions = { row: RunRow; history: StoredEntry[]; complete(tx: Tx): Promise<void> };

/** The run lost its conversation: it was deleted, or another process has the run. */
export class RunGone extends Error {}

export const streamOf = (conversationId: string): string => `conversation:${conversationId}`;

export function endEventOf({ error }: Outcome, { usage }: Progress, now: Clock): StreamEvent {
  const created_at = isoMicros(now);
  if (!error) return { type: 'conversation.response.done', created_at, usage };
  return { type: 'conversation.response.error', created_at, message: error.message, code: error.status };
}

/** Journals of stored runs. Entries, events and progress of one step commit together. */
export function createDurableJournals(ports: JournalPorts): (options: JournalOptions) => Journal {
  const { database, events, now } = ports;
  const requestFlush = createFlusher(ports);

  return ({ row, history, complete }) => {
    const { id: runId, conversation_id: conversationId, progress } = row;
    const { streams, began, takeBackFrom } = row.task;
    const stream = streamOf(conversationId);
    const held: StoredEntry[] = [];
    let waiting: StreamEvent[] = [];
    let taken: StreamEvent[] = [];
    let lastWrite: Promise<unknown> = Promise.resolve();

    const source: EventSource = {
      stream,
      take() {
        taken = streams ? waiting : mergeDeltas(waiting);
        waiting = [];
        return taken.map((event) => ({ type: event.type, data: event }));
      },
      putBack() {
        waiting = [...taken, ...waiting];
      },
      inOrder(write) {
        const written = lastWrite.then(write);
        lastWrite = written.catch(() => undefined);
        return written;
      },
    };

    // Events are taken outside the transaction, which PostgreSQL may run twice.
    const write = (work: (tx: Tx, news: NewEvent[]) => Promise<void>): Promise<void> =>
      source.inOrder(async () => {
        const news = source.take();
        try {
          await database.transaction((tx) => work(tx, news));
        } catch (error) {
          source.putBack();
          throw error;
        }
      });

    async function append(tx: Tx, entries: StoredEntry[]): Promise<void> {
      if ((await appendEntries(tx, conversationId, runId, entries)) === undefined) throw new RunGone();
    }

    // A client that retries after a failure must not add its inputs twice.
    async function takeBackInputs(tx: Tx): Promise<void> {
      if (began !== 'append') await deleteFailedConversation(tx, conversationId);
      else if (takeBackFrom !== null) await deleteEntriesFrom(tx, conversationId, takeBackFrom);
    }

    return {
      emit(event) {
        waiting.push({ created_at: isoMicros(now), output_index: progress.outputs, ...event });
        if (streams) requestFlush(source);
      },
      commit(entries) {
        history.push(...entries);
        return write(async (tx, news) => {
          await append(tx, entries);
          await updateProgress(tx, runId, progress);
          await events.append(tx, stream, news);
        });
      },
      hold(entries) {
        history.push(...entries);
        held.push(...entries);
      },
      end(outcome, at) {
        waiting.push(endEventOf(outcome, progress, now));
        return write(async (tx, news) => {
          await complete(tx);
          const added = held.length;
          const first = await releaseConversation(tx, conversationId, { runId, at, added });
          if (first === undefined) throw new RunGone();
          await insertEntries(tx, conversationId, first, held);
          const leavesNothing = outcome.error !== null && progress.outputs === 0;
          if (leavesNothing) await takeBackInputs(tx);
          const event_to = await events.append(tx, stream, news);
          const state = outcome.error ? 'failed' : 'done';
          await endRun(tx, runId, { state, progress, outcome: { ...outcome, endedMs: now() }, event_to });
          // Nobody waits for one in the background: it is kept with its error.
          if (leavesNothing && row.response && !row.response.background) await dropResponse(tx, runId);
          const { organization_id, workspace_id } = row.task.caller;
          const data = { conversation_id: conversationId, run_id: runId, status: state };
          await ports.announce?.(tx, { type: 'conversation.run.ended', organization_id, workspace_id, data });
          const asked = toolsToConfirm(history);
          if (asked.length > 0 && !outcome.error)
            await ports.announce?.(tx, {
              ...{ type: 'conversation.waiting', organization_id, workspace_id },
              data: { conversation_id: conversationId, run_id: runId, tools: asked.join(', ') },
            });
        });
      },
    };
  };
}

/** The tools whose calls wait for a yes or no: calls at the end of the history, which the run has just made. */
function toolsToConfirm(history: readonly StoredEntry[]): string[] {
  const names: string[] = [];
  for (const { entry } of history.toReversed()) {
    if (entry.type !== 'function.call') break;
    if (entry.confirmation_status === 'pending') names.unshift(entry.name);
  }
  return names;
}

/** Without a stream to watch, the deltas of one text are stored as one event. */
function mergeDeltas(events: readonly StreamEvent[]): StreamEvent[] {
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

/** The events of one run that are not written yet. */
type EventSource = {
  stream: string;
  take(): NewEvent[];
  putBack(): void;
  /** Writes of one run wait for each other: two transactions at once could number its events in the wrong order. */
  inOrder<T>(write: () => Promise<T>): Promise<T>;
};

/** Writes the events of all runs in one transaction: at once after a pause, else within 50 ms. */
function createFlusher({ database, events, log }: JournalPorts): (source: EventSource) => void {
  const requested = new Set<EventSource>();
  let isResting = false;

  async function flush(): Promise<void> {
    const sources = [...requested];
    requested.clear();
    try {
      await write(sources);
    } catch (error) {
      // They were put back, and go with the next commit of their run or the next flush.
      log.error({ err: error }, 'events of running conversations could not be written yet');
    }
    setTimeout(() => {
      isResting = false;
      begin();
    }, FLUSH_REST_MS).unref();
  }

  async function write(sources: EventSource[], at = 0): Promise<void> {
    const source = sources[at];
    if (source) return source.inOrder(() => write(sources, at + 1));
    const taken = sources.map((from) => ({ from, news: from.take() })).filter(({ news }) => news.length > 0);
    if (taken.length === 0) return;
    try {
      await database.transaction(async (tx) => {
        await events.appendMany(tx, new Map(taken.map(({ from, news }) => [from.stream, news])));
      });
    } catch (error) {
      for (const { from } of taken) from.putBack();
      throw error;
    }
  }

  function begin(): void {
    if (isResting || requested.size === 0) return;
    isResting = true;
    setImmediate(() => void flush());
  }

  return (source) => {
    requested.add(source);
    begin();
  };
}
