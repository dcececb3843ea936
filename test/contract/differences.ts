import type { KnownDifference } from './reconcile-differences.ts';

/**
 * Every place where our interface and its published twin part on purpose, with the reason. An `at` that ends
 * in `*` stands for all places that begin so. A line whose difference is gone must go too.
 */
const strict = 'Unknown properties are refused wherever the contract does not say otherwise.';
const bounded = 'What is kept for ever has a length, and names and aliases have the rules of the registries.';
const repeatable = 'A POST that makes something honours Idempotency-Key.';
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
  {
    at: 'PATCH /v1/fine_tuning/models/{model_id} 200(ClassifierFineTunedModel)',
    kind: 'missing-alternative',
    reason: 'Only completion models can be registered.',
  },
  { at: 'AliasList.values*', kind: 'limit', reason: bounded },
  { at: 'CreatePromptRequest.*', kind: 'limit', reason: bounded },
  { at: 'PromptDefinition.*', kind: 'limit', reason: bounded },
  { at: 'PromptVariable.name:*', kind: 'limit', reason: bounded },
  { at: 'PromptVariable.name', kind: 'required', reason: 'A variable without a name declares nothing.' },
  { at: 'GET /v2/prompts query.pageSize*', kind: 'limit', reason: 'A page has at least one object.' },
  { at: 'GET /v2/prompts query.pageSize', kind: 'default', reason: 'A page has 20 objects unless told otherwise.' },
  {
    at: 'GET /v2/prompts query.sort*',
    kind: 'enum',
    reason: 'The published text lists these words; the schema does not.',
  },
  { at: 'POST /v2/prompts header.idempotency-key', kind: 'added-parameter', reason: repeatable },
  { at: 'POST /v2/prompts/{prompt_id}/versions header.*', kind: 'added-parameter', reason: repeatable },
  { at: 'PATCH /v2/prompts/{prompt_id} body.*', kind: 'limit', reason: bounded },
  { at: 'POST /v2/prompts/{prompt_id}/versions body.*', kind: 'limit', reason: bounded },
  { at: 'PATCH /v2/prompts/{prompt_id}/versions/{version} body.*', kind: 'limit', reason: bounded },
  { at: 'CreateSkillRequest.*', kind: 'limit', reason: bounded },
  { at: 'GET /v2/skills query.pageSize*', kind: 'limit', reason: 'A page has at least one object.' },
  { at: 'GET /v2/skills query.pageSize', kind: 'default', reason: 'A page has 20 objects unless told otherwise.' },
  {
    at: 'GET /v2/skills query.sort*',
    kind: 'enum',
    reason: 'The published text lists these words; the schema does not.',
  },
  { at: 'POST /v2/skills header.idempotency-key', kind: 'added-parameter', reason: repeatable },
  { at: 'POST /v2/skills/{skill_id}/versions header.*', kind: 'added-parameter', reason: repeatable },
  { at: 'POST /v2/skills/{skill_id}/versions body.*', kind: 'limit', reason: bounded },
  { at: 'PATCH /v2/skills/{skill_id}/versions/{version} body.*', kind: 'limit', reason: bounded },
];
