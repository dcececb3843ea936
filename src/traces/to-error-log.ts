import type { LogRow } from './schema/log.ts';
import type { Span } from './schema/span.ts';

const [WARN, ERROR] = [13, 17];

/** The line that the server logs for the workspace when a request fails. It tells no more than the span. */
export function toErrorLog(span: Span): LogRow {
  const isOurs = span.http_status === 0 || span.http_status >= 500;
  return {
    workspace_id: span.workspace_id,
    time_us: span.start_us + Math.round(span.duration_ns / 1000),
    log_id: span.span_id,
    trace_id: span.trace_id,
    span_id: span.span_id,
    organization_id: span.organization_id,
    user_id: span.user_id,
    severity_number: isOurs ? ERROR : WARN,
    severity_text: isOurs ? 'ERROR' : 'WARN',
    service_name: span.service_name,
    body: `${span.span_name} failed: ${span.error_type}`,
    event_name: 'request.failed',
    details: {
      log_attributes: {
        'error.type': span.error_type,
        ...(span.http_status > 0 && { 'http.response.status_code': String(span.http_status) }),
        ...(span.request_id && { 'tramontane.request_id': span.request_id }),
      },
    },
  };
}
