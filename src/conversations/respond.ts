import { isoMicros } from '../kit/base/clock.ts';
import { StorageFailure, storageProblemOf } from '../kit/base/storage-failure.ts';
import type { Database } from '../kit/db/index.ts';
import { type Events, resumePoint, toSse } from '../kit/events/index.ts';
import { type ApiError, reviveError, type SseEvent } from '../kit/http/index.ts';
import type { Call } from './begin-run.ts';
import { conversationErrors } from './errors.ts';
import { streamOf } from './run/durable-journal.ts';
import type { RunEnd } from './run/execute-run.ts';
import type { StoredEntry } from './schema/entries.ts';
import type { ConversationResponse } from './schema/responses.ts';
import type { RunError } from './schema/run.ts';
import { findConversation } from './store/conversations.ts';
import { listEntries } from './store/entries.ts';
import { findRun, type RunRow } from './store/runs.ts';

/** The whole response, or the events of the run as they come. */
export type Reply = ConversationResponse | AsyncIterable<SseEvent>;

type Ports = { database: Database; events: Events };

/** Responds to the request that began the run in this process. */
export async function respond(ports: Ports, call: Call, row: RunRow, ended: Promise<RunEnd>): Promise<Reply> {
  if (row.task.streams) return streamRun(ports, call, row);
  const end = await ended.catch(ignoreLostRun);
  if (!end) return readResponse(ports, call, row);
  if (end.outcome.error) throw toApiError(end.outcome.error);
  return toResponse(row, end.outputs);
}

/** Responds to a request that repeats an Idempotency-Key. */
export async function replay(ports: Ports, call: Call, row: RunRow): Promise<Reply> {
  call.setHeader('idempotency-replayed', 'true');
  return row.task.streams ? streamRun(ports, call, row) : readResponse(ports, call, row);
}

/** The events of a run after the given number, up to its last one. */
export async function* followRun(
  { events }: Ports,
  row: RunRow,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<SseEvent> {
  // A reader that has seen the last event would wait for ever.
  if (row.event_to !== null && after >= row.event_to) return;
  const until = ({ seq, type }: { seq: number; type: string }) =>
    seq > row.event_from && (type === 'conversation.response.done' || type === 'conversation.response.error');
  for await (const event of events.tail(streamOf(row.conversation_id), { after, signal, until })) yield toSse(event);
}

/** The last event of a stream whose reader lost its access. */
export function toErrorEvent({ message, status }: ApiError): SseEvent {
  const type = 'conversation.response.error';
  return { event: type, data: { type, created_at: isoMicros(), message, code: status } };
}

function streamRun(ports: Ports, { lastEventId, signal }: Call, row: RunRow): AsyncIterable<SseEvent> {
  const after = lastEventId === undefined ? 0 : resumePoint(lastEventId);
  return followRun(ports, row, Math.max(row.event_from, after), signal);
}

/** Waits for the end of a run, in whatever process it runs, and reads its response. */
async function readResponse(ports: Ports, { scope, signal }: Call, row: RunRow): Promise<ConversationResponse> {
  const { db } = ports.database;
  for await (const _event of followRun(ports, row, row.event_from, signal));
  const run = await findRun(db, row.id);
  const conversation = await findConversation(db, scope, row.conversation_id);
  if (run?.outcome?.error) throw toApiError(run.outcome.error);
  if (!run?.outcome || !conversation) throw conversationErrors.conversation_not_found(row.conversation_id);
  const entries = await listEntries(db, run.conversation_id, run.output_from);
  return toResponse(run, entries.slice(0, run.progress.outputs));
}

/** A lost run ends in another process, or was deleted; one that the disk stopped continues when the disk is back. */
function ignoreLostRun(error: unknown): undefined {
  if (storageProblemOf(error))
    throw new StorageFailure('unknown', 'A run could not be stored; it continues later.', { cause: error });
}

export function toResponse({ conversation_id, progress, task }: RunRow, outputs: StoredEntry[]): ConversationResponse {
  return {
    object: 'conversation.response',
    conversation_id,
    outputs: outputs.map(({ entry }) => entry) as ConversationResponse['outputs'],
    usage: progress.usage,
    guardrails: task.guardrails,
  };
}

function toApiError({ code, wireCode = code, ...error }: RunError): ApiError {
  return reviveError({ ...error, code: code ?? conversationErrors.run_failed.code, wireCode });
}
