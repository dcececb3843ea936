import { requestErrors } from '../http/request-errors.ts';
import type { SseEvent } from '../http/sse.ts';
import type { StoredEvent } from './store/streams.ts';

/** The id is the number in the stream, so a client that sends it back as `Last-Event-ID` resumes exactly. */
export function toSse({ seq, type, data }: StoredEvent): SseEvent {
  return { id: seq, event: type, data };
}

export function resumePoint(lastEventId: string | undefined): number {
  if (lastEventId === undefined) return 0;
  const after = /^\d+$/.test(lastEventId) ? Number(lastEventId) : Number.NaN;
  if (!Number.isSafeInteger(after)) {
    throw requestErrors.last_event_id_invalid();
  }
  return after;
}
