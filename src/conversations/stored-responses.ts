import type { AgentService } from '../agents/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import type { Database } from '../kit/db/index.ts';
import type { Events } from '../kit/events/index.ts';
import { ApiError, type Scope, type SseEvent } from '../kit/http/index.ts';
import type { Call } from './begin-run.ts';
import { conversationErrors } from './errors.ts';
import { planResponse, type ResponseRequest, type RunRequest } from './plan-run.ts';
import { followRun, type Reply } from './respond.ts';
import { streamOf } from './run/durable-journal.ts';
import { endStoppedRun } from './run/end-stopped-run.ts';
import { toRunError } from './run/execute-run.ts';
import type { Entry, StoredEntry } from './schema/entries.ts';
import { deleteConversation, findConversation } from './store/conversations.ts';
import { listEntries, listEntriesById } from './store/entries.ts';
import { deleteResponse, findResponse, hasResponses, type ResponseRow } from './store/responses.ts';
import { findRun } from './store/runs.ts';

export type StoredResponses = {
  /** Runs a turn that is kept as a response; what cannot be admitted stores nothing. The id is that of the first try. */
  create(call: Call, request: ResponseRequest): Promise<{ id: string; reply: Reply }>;
  find(scope: Scope, id: string): Promise<ResponseRow | undefined>;
  /** Its inputs, and its outputs so far. */
  entries(row: ResponseRow): Promise<{ inputs: Entry[]; outputs: Entry[] }>;
  /** Entries of the user's conversations, by their ids. */
  entriesById(scope: Scope, ids: readonly string[]): Promise<Map<string, StoredEntry>>;
  /** The events of its run from the first one, while they are kept. */
  events(row: ResponseRow, signal: AbortSignal): Promise<AsyncIterable<SseEvent> | undefined>;
  /** False when it has ended. */
  cancel(row: ResponseRow): Promise<boolean>;
  /** With its conversation, once no other response is in it. */
  remove(scope: Scope, row: ResponseRow): Promise<void>;
};

type Ports = {
  database: Database;
  events: Events;
  agents: Pick<AgentService, 'get'>;
  now: Clock;
  run(call: Call, request: RunRequest): Promise<{ id: string; reply: Reply }>;
  forget?: ((scope: Scope, conversationId: string) => Promise<void>) | undefined;
  abort(runId: string): void;
};

export function createStoredResponses(ports: Ports): StoredResponses {
  const { database, events, run, abort } = ports;
  const { db } = database;

  async function cancel({ run_id }: ResponseRow): Promise<boolean> {
    const error = toRunError(conversationErrors.response_cancelled());
    const isCancelled = await database.transaction((tx) => endStoppedRun(ports, tx, run_id, error, true));
    if (isCancelled) abort(run_id);
    return isCancelled;
  }

  return {
    async create(call, request) {
      try {
        return await run(call, planResponse(ports, call.scope, request));
      } catch (error) {
        // Another turn was quicker: both go on, each in a conversation of its own.
        const isBusy = error instanceof ApiError && error.code === conversationErrors.conversation_busy.code;
        if (!isBusy || !request.after || request.branches) throw error;
        return run(call, planResponse(ports, call.scope, { ...request, branches: true }));
      }
    },
    find: (scope, id) => findResponse(db, scope, id),
    async entries({ conversation_id, input_from, output_from, output_to }) {
      const stored = await listEntries(db, conversation_id, input_from);
      const all = stored.map(({ entry }) => entry);
      const inputs = output_from - input_from;
      return {
        inputs: all.slice(0, inputs),
        outputs: all.slice(inputs, output_to === null ? undefined : output_to - input_from),
      };
    },
    async entriesById(scope, ids) {
      const found = await listEntriesById(db, scope, ids);
      return new Map(found.map((stored) => [stored.entry.id, stored]));
    },
    async events({ run_id }, signal) {
      const found = await findRun(db, run_id);
      return found && followRun(ports, found, found.event_from, signal);
    },
    cancel,
    async remove(scope, row) {
      const { conversation_id } = row;
      await cancel(row);
      const isLast = await database.transaction(async (tx) => {
        await deleteResponse(tx, row);
        const conversation = await findConversation(tx, scope, conversation_id);
        if (!conversation || (await hasResponses(tx, conversation_id))) return false;
        await deleteConversation(tx, scope, conversation_id);
        const stream = streamOf(conversation_id);
        await events.trim(tx, stream, await events.head(tx, stream));
        return true;
      });
      if (isLast) await ports.forget?.(scope, conversation_id);
    },
  };
}
