import { adminDifferences } from './admin-differences.ts';
import type { KnownDifference } from './reconcile-differences.ts';

/**
 * Every place where our interface and its published twin part on purpose, with the reason. An `at` that ends
 * in `*` stands for all places that begin so. A line whose difference is gone must go too.
 */
const strict = 'Unknown properties are refused wherever the contract does not say otherwise.';
const bounded = 'What is kept for ever has a length, and names and aliases have the rules of the registries.';
const repeatable = 'A POST that makes something honours Idempotency-Key.';
const idempotent = 'Whatever creates something honours Idempotency-Key, which no client needs to know.';
const live = 'The live API sends it, and both official SDKs take it.';

const int32 = 'Versions are int32, and none is below 0.';
const both = 'One operation serves both the whole answer and the stream; the SDKs send stream as they mean it.';
const encoded = 'A query carries text: the object is sent as JSON, as the specification says.';
const named = 'A name is needed, and has room for 255 characters.';

export const differences: KnownDifference[] = [
  ...adminDifferences,
  {
    at: 'AudioChunk.input_audio(string #2)',
    kind: 'missing-alternative',
    reason: 'In JSON both alternatives are the same base64 text.',
  },
  { at: 'ChatCompletionResponse.guardrails', kind: 'added-property', reason: live },
  {
    at: 'CompletionChunk.guardrails',
    kind: 'added-property',
    reason: 'A stream shows what its guardrails found as the whole answer does.',
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
  {
    at: 'SpeechRequest.ref_audio(string #2)',
    kind: 'missing-alternative',
    reason: 'In JSON both alternatives are the same base64 text.',
  },
  {
    at: 'POST /v1/audio/speech 200 text/event-stream.data*',
    kind: 'required',
    reason: 'What has a default is always sent.',
  },
  { at: 'POST /v1/audio/voices header.idempotency-key', kind: 'added-parameter', reason: idempotent },
  { at: 'VoiceCreateRequest', kind: 'closed-here', reason: strict },
  { at: 'VoiceUpdateRequest', kind: 'closed-here', reason: strict },
  {
    at: 'VoiceResponse.type',
    kind: 'added-property',
    reason: 'The official Python SDK does not read a voice without it.',
  },
  { at: 'VoiceUpdateRequest.retention_notice', kind: 'added-property', reason: 'The official Python SDK sends it.' },
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
  { at: 'AgentConversation.agent_version(integer):*', kind: 'limit', reason: int32 },
  { at: 'ConversationRequest.agent_version(integer):*', kind: 'limit', reason: int32 },
  { at: 'ConversationRestartRequest.agent_version(integer):*', kind: 'limit', reason: int32 },
  { at: 'GET /v1/agents/{agent_id} query.agent_version(integer):*', kind: 'limit', reason: int32 },
  { at: 'PUT /v1/agents/{agent_id}/aliases query.version:*', kind: 'limit', reason: int32 },
  { at: 'PATCH /v1/agents/{agent_id}/version query.version:*', kind: 'limit', reason: int32 },
  { at: 'ConversationRequest', kind: 'closed-here', reason: strict },
  { at: 'ConversationRequest.stream', kind: 'enum', reason: both },
  { at: 'ConversationRequest.stream', kind: 'nullable', reason: both },
  { at: 'ConversationRequest.stream', kind: 'default', reason: both },
  { at: 'ConversationAppendRequest.stream', kind: 'enum', reason: both },
  { at: 'ConversationRestartRequest.stream', kind: 'enum', reason: both },
  { at: 'POST /v1/agents/completions 200', kind: 'content-type', reason: both },
  { at: 'CreateAgentRequest.model:minLength', kind: 'limit', reason: named },
  { at: 'CreateAgentRequest.name:*', kind: 'limit', reason: named },
  { at: 'UpdateAgentRequest.model:minLength', kind: 'limit', reason: named },
  { at: 'UpdateAgentRequest.name:*', kind: 'limit', reason: named },
  { at: 'GET /v1/agents query.page:maximum', kind: 'limit', reason: bounded },
  { at: 'GET /v1/agents/{agent_id}/versions query.page:maximum', kind: 'limit', reason: bounded },
  { at: 'GET /v1/conversations query.page:*', kind: 'limit', reason: bounded },
  { at: 'GET /v1/conversations query.page_size:*', kind: 'limit', reason: bounded },
  { at: 'GET /v1/batch/jobs query.page*', kind: 'limit', reason: bounded },
  { at: 'GET /v1/batch/jobs query.metadata', kind: 'type', reason: encoded },
  {
    at: 'GET /v1/batch/jobs query.created_after:pattern',
    kind: 'limit',
    reason: 'A date that does not exist is refused.',
  },
  { at: 'POST /v1/batch/jobs header.idempotency-key', kind: 'added-parameter', reason: repeatable },
  { at: 'GET /v1/agents query.metadata', kind: 'type', reason: encoded },
  { at: 'GET /v1/agents/pages query.metadata', kind: 'type', reason: encoded },
  { at: 'GET /v1/conversations query.metadata', kind: 'type', reason: encoded },
  { at: 'POST /v1/agents header.idempotency-key', kind: 'added-parameter', reason: repeatable },
  { at: 'POST /v1/conversations*', kind: 'added-parameter', reason: repeatable },
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
