import type { KnownDifference } from './reconcile-differences.ts';

const newest = 'The newest Python SDK types it.';
const registries = 'Both newest SDKs type it.';
const shown = 'Whoever may set it can read it.';
const provider = "The AI SDK's Mistral provider sends it.";

const settings = ['min_tokens', 'repetition_penalty', 'top_k', 'logprobs', 'top_logprobs', 'prompt_logprobs'];

const always = 'It is always sent.';
const sent = {
  AggregationMeta: ['granularity_seconds'],
  AggregationRow: ['time_bucket', 'dimensions', 'metric_value'],
  FeedResultGetLog: ['results', 'next', 'cursor'],
  FeedResultGetSpan: ['results', 'next', 'cursor'],
  FeedResultGetSpanEvaluation: ['results', 'next', 'cursor'],
  FeedResultGetTrace: ['results', 'next', 'cursor'],
  OtelFieldDefinition: ['group'],
};
const strict = 'Unknown fields are mistakes of the caller.';
const ids = 'Ids of traces and spans have one form; any other cannot be found.';
const spansOf = ['/traces/{trace_id}', '/traces/{trace_id}/spans', '/traces/{trace_id}/spans/{span_id}'];

/** What SDKs of today have, and the published description does not. */
export const sdkDifferences: KnownDifference[] = [
  ...['ChatCompletionRequest', 'AgentsCompletionRequest'].flatMap((request): KnownDifference[] => [
    ...[...settings, 'top_prompt_logprobs'].map(
      (field): KnownDifference => ({ at: `${request}.${field}`, kind: 'added-property', reason: newest }),
    ),
    { at: `${request}.document_image_limit`, kind: 'added-property', reason: provider },
    { at: `${request}.document_page_limit`, kind: 'added-property', reason: provider },
  ]),
  ...['ChatCompletionChoice', 'CompletionResponseStreamChoice'].flatMap((choice): KnownDifference[] => [
    { at: `${choice}.logprobs`, kind: 'added-property', reason: newest },
    { at: `${choice}.prompt_logprobs`, kind: 'added-property', reason: newest },
  ]),
  ...['UserMessage', 'AssistantMessage', 'ToolMessage', 'DeltaMessage'].map(
    (message): KnownDifference => ({
      at: `${message}.content(array)[](Resource*`,
      kind: 'added-alternative',
      reason: newest,
    }),
  ),
  { at: 'ContentChunk(Resource*', kind: 'added-alternative', reason: newest },
  { at: 'ReasoningEffort', kind: 'enum', reason: newest },
  { at: 'CreatePromptRequest.workspaceRelation', kind: 'added-property', reason: registries },
  { at: 'CreateSkillRequest.workspaceRelation', kind: 'added-property', reason: registries },
  { at: 'PATCH /v2/prompts/{prompt_id} body.workspaceRelation', kind: 'added-property', reason: registries },
  { at: 'PATCH /v2/skills/{skill_id} body.workspaceRelation', kind: 'added-property', reason: registries },
  { at: 'Prompt.workspaceRelation', kind: 'added-property', reason: shown },
  { at: 'Skill.workspaceRelation', kind: 'added-property', reason: shown },
  { at: 'TempoTraceAttribute.value(TempoTraceAttributeDoubleValue)', kind: 'added-alternative', reason: registries },
  { at: 'TempoTraceAttributeArrayElement.doubleValue', kind: 'added-property', reason: registries },
  { at: 'Prompt.createdBy', kind: 'added-property', reason: newest },
  { at: 'Prompt.versionCreatedAt', kind: 'added-property', reason: newest },
  ...Object.entries(sent).flatMap(([schema, fields]) =>
    fields.map((field): KnownDifference => ({ at: `${schema}.${field}`, kind: 'required', reason: always })),
  ),
  ...[
    'AggregationRequest',
    'LogsRequest',
    'MetricDefinition',
    'OrderByClause',
    'SpansRequest',
    'SpanEvaluationsRequest',
    'TimeDimension',
    'TracesRequest',
  ].map((at): KnownDifference => ({ at, kind: 'closed-here', reason: strict })),
  ...[
    'GetLog.service_account_id',
    'GetSpan.service_account_id',
    'GetSpanEvaluation.service_account_id',
    'GetTrace.service_account_id',
    'OtelFieldDefinition.source_attribute_key',
  ].map((at): KnownDifference => ({ at, kind: 'added-property', reason: registries })),
  ...spansOf.map(
    (path): KnownDifference => ({ at: `GET /v1/observability${path} path.*`, kind: 'limit', reason: ids }),
  ),
  {
    at: 'AggregationRow.metric_value(integer)',
    kind: 'missing-alternative',
    reason: 'An integer is a number.',
  },
];
