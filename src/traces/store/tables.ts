import type { ColumnType } from 'kysely';
import type { Span, SpanContent, SpanDetails } from '../schema/span.ts';

type Json<T> = ColumnType<T, string | null, string | null>;

declare module '../../kit/db/tables.ts' {
  interface Tables {
    spans: Omit<Span, 'details'> & { details: Json<SpanDetails | null> };
    span_contents: SpanContent & { workspace_id: string; span_id: string; start_us: number };
  }
}
