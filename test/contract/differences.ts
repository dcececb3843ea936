import type { KnownDifference } from './reconcile-differences.ts';

/**
 * Every place where our interface and its published twin part on purpose, with the reason. An `at` that ends
 * in `*` stands for all places that begin so. A line whose difference is gone must go too.
 */
const strict = 'Unknown properties are refused wherever the contract does not say otherwise.';
const idempotent = 'Whatever creates something honours Idempotency-Key, which no client needs to know.';
const live = 'The live API sends it, and both official SDKs take it.';

export const differences: KnownDifference[] = [
  {
    at: 'AudioChunk.input_audio(string #2)',
    kind: 'missing-alternative',
    reason: 'In JSON both alternatives are the same base64 text.',
  },
  { at: 'CompletionChunk.p', kind: 'added-property', reason: 'The specification promises p on every chunk.' },
  {
    at: 'EmbeddingResponseData.embedding(string)',
    kind: 'added-alternative',
    reason: 'encoding_format base64 is answered with one string.',
  },
  { at: 'GuardrailConfig', kind: 'closed-here', reason: strict },
  { at: 'ModerationLLMV1CategoryThresholds', kind: 'closed-here', reason: strict },
  { at: 'ModerationLLMV1Config', kind: 'closed-here', reason: strict },
  { at: 'ModerationLLMV2CategoryThresholds', kind: 'closed-here', reason: strict },
  { at: 'ModerationLLMV2Config', kind: 'closed-here', reason: strict },
  { at: 'UpdateModelRequest', kind: 'closed-here', reason: strict },
  { at: 'ToolMessage.tool_call_id', kind: 'required', reason: 'The specification makes it mandatory.' },
  { at: 'ToolMessage.tool_call_id', kind: 'nullable', reason: 'The specification says that it must not be null.' },
  { at: 'UsageInfo.prompt_tokens_details', kind: 'added-property', reason: live },
  { at: 'UsageInfo.completion_tokens_details', kind: 'added-property', reason: live },
  { at: 'UsageInfo.num_cached_tokens', kind: 'added-property', reason: live },
  { at: 'GET /v1/files query.page*', kind: 'limit', reason: 'A page is a bounded piece of a list that begins at 0.' },
  { at: 'POST /v1/files header.idempotency-key', kind: 'added-parameter', reason: idempotent },
  { at: 'POST /v1/files body multipart/form-data', kind: 'closed-here', reason: strict },
  {
    at: 'POST /v1/files body multipart/form-data.expiry*',
    kind: 'limit',
    reason: 'A file that expired before it came would never be there; ten years is the most.',
  },
  {
    at: 'GET /v1/files/{file_id}/url query.expiry*',
    kind: 'limit',
    reason: 'The documentation of the API says 1 to 168 hours.',
  },
  {
    at: 'PATCH /v1/fine_tuning/models/{model_id} 200(ClassifierFineTunedModel)',
    kind: 'missing-alternative',
    reason: 'Only completion models can be registered.',
  },
];
