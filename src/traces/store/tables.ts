import type { ColumnType } from 'kysely';
import type { LogDetails, LogRow } from '../schema/log.ts';
import type { Span, SpanContent, SpanDetails } from '../schema/span.ts';

type Json<T> = ColumnType<T, string | null, string | null>;

/** Whether a workspace keeps what is said: which share of it, and for how long. */
export type ContentSettingsRow = {
  workspace_id: string;
  enabled: boolean;
  sample_rate: number;
  retention_days: number;
  updated_at: string;
  updated_by: string;
};

export type FeedbackRow = {
  workspace_id: string;
  start_us: number;
  span_id: string;
  trace_id: string;
  user_id: string;
  /** `up`, `down`, or empty where there is only a note. */
  rating: string;
  note: string;
  created_at: string;
  updated_at: string;
};

declare module '../../kit/db/tables.ts' {
  interface Tables {
    spans: Omit<Span, 'details'> & { details: Json<SpanDetails | null> };
    span_contents: SpanContent & { workspace_id: string; span_id: string; start_us: number };
    content_settings: ContentSettingsRow;
    span_feedback: FeedbackRow;
    logs: Omit<LogRow, 'details'> & { details: Json<LogDetails | null> };
  }
}
