import { formatDuration } from '../../ui/format.ts';
import type { Span } from './queries.ts';

export const durationOf = ({ duration_ns }: Pick<Span, 'duration_ns'>): string => formatDuration(duration_ns / 1e6);

const MICROS = 1_000_000;

export function costOf({ span_attributes }: Pick<Span, 'span_attributes'>): string | undefined {
  const micros = Number(span_attributes['tramontane.cost_micros'] ?? 0);
  return micros > 0 ? (micros / MICROS).toFixed(micros < MICROS ? 5 : 2) : undefined;
}

export function firstTokenOf({ span_attributes }: Pick<Span, 'span_attributes'>): string | undefined {
  const seconds = Number(span_attributes['gen_ai.response.time_to_first_chunk'] ?? 0);
  return seconds > 0 ? formatDuration(seconds * 1000) : undefined;
}

export const statusOf = (span: Span): string =>
  span.span_attributes['http.response.status_code'] ?? (span.status_code === 'Error' ? 'Error' : 'OK');
