import { StorageFailure, storageProblemOf } from '../kit/base/storage-failure.ts';
import type { Database } from '../kit/db/index.ts';
import { type Events, resumePoint, toSse } from '../kit/events/index.ts';
import { ApiError, notFound, type RequestContext, type SseEvent } from '../kit/http/index.ts';
import { streamOf } from './run/durable-journal.ts';
import type { RunEnd } from './run/run-tasks.ts';
import type { Entry } from './schema/entries.ts';
import type { ConversationResponse } from './schema/responses.ts';
import type { Outcome } from './schema/run.ts';
import { findConversation } from './store/conversations.ts';
import { listEntries } from './store/entries.ts';
import { findRun, type RunRow } from './store/runs.ts';

/** Who asks, and how they may come back for the same answer. */
export type Call = Pick<
  RequestContext,
  'scope' | 'requestId' | 'signal' | 'setHeader' | 'idempotencyKey' | 'lastEventId'
>;

/** The whole answer, or the events of the run as it goes on. */
export type Answer = ConversationResponse | AsyncIterable<SseEvent>;

export type Answering = {
  /** To the one who set the run going. */
  first(call: Call, row: RunRow, ended: Promise<RunEnd>): Promise<Answer>;
  /** To one who comes back with the same key. */
  again(call: Call, row: RunRow): Promise<Answer>;
  /** The events of a run after this number, to the last. */
  follow(row: RunRow, after: number, signal: AbortSignal): AsyncGenerator<SseEvent>;
};

type Ports = { database: Database; events: Events };

export function createAnswering({ database, events }: Ports): Answering {
  async function* follow(row: RunRow, after: number, signal: AbortSignal): AsyncGenerator<SseEvent> {
    // A reader that has seen the last event already would wait for ever.
    if (row.event_to !== null && after >= row.event_to) return;
    const until = ({ seq, type }: { seq: number; type: string }) => seq > row.event_from && isLast(type);
    for await (const event of events.tail(streamOf(row.conversation_id), { after, signal, until })) yield toSse(event);
  }

  function stream({ lastEventId, signal }: Call, row: RunRow): AsyncIterable<SseEvent> {
    const after = lastEventId === undefined ? 0 : resumePoint(lastEventId);
    return follow(row, Math.max(row.event_from, after), signal);
  }

  /** Reads what a run came to, in whatever process it ran. */
  async function read({ scope, signal }: Call, row: RunRow): Promise<ConversationResponse> {
    for await (const _event of follow(row, row.event_from, signal));
    const run = await findRun(database.db, row.id);
    const conversation = await findConversation(database.db, scope, row.conversation_id);
    if (run?.outcome?.error) throw failureOf(run.outcome);
    if (!run?.outcome || !conversation) throw notFound('conversation', row.conversation_id);
    const entries = await listEntries(database.db, run.conversation_id, run.output_from);
    return responseOf(
      run,
      entries.slice(0, run.progress.outputs).map(({ entry }) => entry),
    );
  }

  return {
    follow,
    async first(call, row, ended) {
      if (row.task.streams) return stream(call, row);
      const { outcome, outputs } = await ended.catch(lostHere);
      // It was taken from this process: deleted, or run elsewhere by now.
      if (outcome === null) return read(call, row);
      if (outcome.error) throw failureOf(outcome);
      return responseOf(
        row,
        outputs.map(({ entry }) => entry),
      );
    },
    async again(call, row) {
      call.setHeader('idempotency-replayed', 'true');
      return row.task.streams ? stream(call, row) : read(call, row);
    },
  };
}

/** A run that was taken from this process ends elsewhere; one that the disk stopped ends when the disk is back. */
function lostHere(error: unknown): { outcome: null; outputs: [] } {
  if (storageProblemOf(error))
    throw new StorageFailure('unknown', 'A run could not be kept; it goes on later.', { cause: error });
  return { outcome: null, outputs: [] };
}

function isLast(type: string): boolean {
  return type === 'conversation.response.done' || type === 'conversation.response.error';
}

export function responseOf({ conversation_id, progress, task }: RunRow, outputs: Entry[]): ConversationResponse {
  return {
    object: 'conversation.response',
    conversation_id,
    outputs: outputs as ConversationResponse['outputs'],
    usage: progress.usage,
    guardrails: task.guardrails,
  };
}

export function failureOf({ error }: Outcome): ApiError {
  const { status, message, type, code } = error ?? { status: 500, message: '', type: 'server_error', code: null };
  return new ApiError(status, message, { type, code });
}
