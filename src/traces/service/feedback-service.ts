import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { traceErrors } from '../errors.ts';
import type { Feedback, FeedbackList, FeedbackRequest } from '../schema/feedback.ts';
import type { Span } from '../schema/span.ts';
import { deleteFeedback, listFeedback, upsertFeedback } from '../store/feedback.ts';
import { findSpan, findTrace } from '../store/spans.ts';
import type { FeedbackRow } from '../store/tables.ts';

const LISTED_MAX = 1000;

export type FeedbackService = {
  /** What the caller thinks of an answer; replaces what they said before. Without a span, of the trace's first one. */
  give(scope: Scope, traceId: string, spanId: string | undefined, body: FeedbackRequest): Promise<Feedback>;
  list(scope: Scope, traceId: string, spanId: string): Promise<FeedbackList>;
  /** Takes back what the caller said. */
  remove(scope: Scope, traceId: string, spanId: string): Promise<undefined>;
};

export function createFeedbackService(ports: {
  database: Database;
  now: Clock;
  flush(): Promise<void>;
}): FeedbackService {
  const { database, now, flush } = ports;
  const { db, kind } = database;

  function look({ workspace_id }: Scope, traceId: string, spanId: string | undefined): Promise<Span | undefined> {
    return spanId === undefined
      ? findTrace(db, kind, workspace_id, traceId)
      : findSpan(db, workspace_id, traceId, spanId);
  }

  /** An answer may be judged before its span is written. */
  async function mustFind(scope: Scope, traceId: string, spanId?: string): Promise<Span> {
    const found = await look(scope, traceId, spanId);
    if (found) return found;
    await flush();
    const written = await look(scope, traceId, spanId);
    if (written) return written;
    throw spanId === undefined ? traceErrors.trace_not_found(traceId) : traceErrors.span_not_found(spanId);
  }

  return {
    async give(scope, traceId, spanId, { rating, note }) {
      if (!rating && !note)
        throw traceErrors.feedback_empty(['body', 'rating'], 'Send a rating or a note.', rating ?? null);
      const span = await mustFind(scope, traceId, spanId);
      const at = isoMicros(now);
      const row: FeedbackRow = {
        ...{ workspace_id: span.workspace_id, start_us: span.start_us, span_id: span.span_id, trace_id: traceId },
        ...{ user_id: scope.user_id, rating: rating ?? '', created_at: at, updated_at: at },
        note: (note ?? '').toWellFormed().replaceAll('\0', '\ufffd'),
      };
      return toWire(await database.transaction((tx) => upsertFeedback(tx, row)));
    },
    async list(scope, traceId, spanId) {
      await mustFind(scope, traceId, spanId);
      return { object: 'list', data: (await listFeedback(db, scope.workspace_id, spanId, LISTED_MAX)).map(toWire) };
    },
    async remove(scope, traceId, spanId) {
      await mustFind(scope, traceId, spanId);
      await database.transaction((tx) => deleteFeedback(tx, scope.workspace_id, spanId, scope.user_id));
      return undefined;
    },
  };
}

function toWire({ trace_id, span_id, user_id, rating, note, created_at, updated_at }: FeedbackRow): Feedback {
  return {
    ...{ object: 'feedback' as const, trace_id, span_id, user_id },
    rating: rating === 'up' || rating === 'down' ? rating : null,
    note: note || null,
    ...{ created_at, updated_at },
  };
}
