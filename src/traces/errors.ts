import { defineErrors, missing } from '../kit/http/index.ts';

const invalid = (when: string, fix: string) => ({ status: 422, when, fix }) as const;

export const traceErrors = defineErrors({
  trace_not_found: missing('trace'),
  span_not_found: missing('span'),
  field_not_found: {
    status: 404,
    when: 'No field of spans, traces or logs has this name.',
    fix: 'Choose a name of `GET /v1/observability/spans/fields`, `/traces/fields` or `/logs/fields`.',
    message: (name: string) =>
      `There is no field '${name}'. The list of fields is beside this address, without /options.`,
  },
  expression_not_valid: invalid(
    'A search expression cannot be read.',
    'Write conditions as in docs/observability.md: `field operator value`, joined by AND and OR.',
  ),
  aggregation_not_valid: invalid(
    'An aggregation names a field, an operation or an order that there is not.',
    'Choose from what `GET /v1/observability/spans/fields` lists.',
  ),
  contents_forbidden: {
    status: 403,
    when: 'The operator does not allow that inputs and outputs are kept.',
    fix: 'Ask the operator to set `traces.contents.allowed`.',
    message: 'The operator of this server does not allow that inputs and outputs are kept.',
  },
  feedback_empty: invalid(
    'Feedback has neither a rating nor a note.',
    'Send `rating` (`up` or `down`), `note`, or both.',
  ),
  search_busy: {
    status: 429,
    when: 'Too many searches of this caller run at once.',
    fix: 'Wait for the searches that run, or narrow the time range.',
    message: 'Too many searches run at once. Wait for one to end, or narrow the time range.',
  },
  export_too_large: {
    status: 413,
    when: 'An export is larger than 4 MiB when it is decompressed.',
    fix: 'Have the exporter send smaller batches.',
    message: 'The export has more than 4 MiB. Have the exporter send smaller batches.',
  },
  spans_malformed: {
    status: 400,
    when: 'The body of an export is not OTLP.',
    fix: 'Send `ExportTraceServiceRequest` or `ExportLogsServiceRequest` as OTLP/HTTP has it: protobuf as application/x-protobuf, or JSON as application/json.',
    message: (problem: string) => `The export cannot be read: ${problem}`,
  },
});
