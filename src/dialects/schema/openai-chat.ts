import { z } from 'zod';
import {
  CALL_ID_CHARACTERS_MAX,
  DESCRIPTION_CHARACTERS_MAX,
  GUARDRAILS_MAX,
  GuardrailConfig,
  MODEL_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
} from '../../chat/index.ts';

const STOP_CHARACTERS_MAX = 1000;
const name = z.string().max(NAME_CHARACTERS_MAX);
const participant = { name: name.nullable().optional() };
const jsonObject = z.record(z.string(), z.unknown());

const TextPart = z.strictObject({ type: z.literal('text'), text: z.string() });
const RefusalPart = z.strictObject({ type: z.literal('refusal'), refusal: z.string() });
const UserPart = z.discriminatedUnion('type', [
  TextPart,
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({ url: z.string(), detail: z.enum(['auto', 'low', 'high']).nullable().optional() }),
  }),
  z.strictObject({
    type: z.literal('input_audio'),
    input_audio: z.strictObject({ data: z.string(), format: z.string().max(16) }),
  }),
  z.strictObject({
    type: z.literal('file'),
    file: z.strictObject({
      file_id: z.string().nullable().optional(),
      file_data: z.string().nullable().optional(),
      filename: z.string().nullable().optional(),
    }),
  }),
]);
export type UserPart = z.infer<typeof UserPart>;

const text = z.union([z.string(), z.array(TextPart)]);

/** OpenAI's SDKs add what they read from a text or from arguments, and clients send it back. */
const parsed = z.unknown().optional();

const FunctionCall = z.strictObject({ name, arguments: z.string(), parsed_arguments: parsed });

const Message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: text, ...participant }),
  z.strictObject({ role: z.literal('developer'), content: text, ...participant }),
  z.strictObject({ role: z.literal('user'), content: z.union([z.string(), z.array(UserPart)]), ...participant }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z
      .union([z.string(), z.array(z.discriminatedUnion('type', [TextPart, RefusalPart]))])
      .nullable()
      .optional(),
    refusal: z.string().nullable().optional(),
    tool_calls: z
      .array(
        z.strictObject({
          id: z.string().max(CALL_ID_CHARACTERS_MAX),
          type: z.literal('function'),
          function: FunctionCall,
          index: z.int().optional(),
        }),
      )
      .nullable()
      .optional(),
    /** Clients send back what they were sent. */
    reasoning_content: z.string().nullable().optional(),
    annotations: z.array(z.unknown()).nullable().optional(),
    audio: z.null().optional(),
    function_call: z.null().optional(),
    parsed,
    ...participant,
  }),
  z.strictObject({
    role: z.literal('tool'),
    content: text,
    tool_call_id: z.string().max(CALL_ID_CHARACTERS_MAX),
    ...participant,
  }),
]);
export type OpenAiMessage = z.infer<typeof Message>;

const FunctionTool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name,
    description: z.string().max(DESCRIPTION_CHARACTERS_MAX).nullable().optional(),
    parameters: jsonObject.nullable().optional(),
    strict: z.boolean().nullable().optional(),
  }),
});

const NamedFunction = z.strictObject({ type: z.literal('function'), function: z.strictObject({ name }) });

const ToolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  NamedFunction,
  z.strictObject({
    type: z.literal('allowed_tools'),
    allowed_tools: z.strictObject({ mode: z.enum(['auto', 'required']), tools: z.array(NamedFunction).max(128) }),
  }),
]);
export type OpenAiToolChoice = z.infer<typeof ToolChoice>;

const ResponseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name,
      description: z.string().max(DESCRIPTION_CHARACTERS_MAX).nullable().optional(),
      schema: jsonObject.optional(),
      strict: z.boolean().nullable().optional(),
    }),
  }),
]);

const stopText = z.string().max(STOP_CHARACTERS_MAX);
const penalty = z.number().min(-2).max(2).nullable().optional();
const count = z.int().min(0).nullable().optional();

/** Of chat and of text completions. */
export const sampling = {
  model: z.string().min(1).max(MODEL_CHARACTERS_MAX),
  temperature: z.number().min(0).max(2).nullable().optional(),
  top_p: z.number().gt(0).max(1).nullable().optional(),
  max_tokens: count,
  n: z.int().min(1).nullable().optional(),
  seed: z.int().nullable().optional(),
  stop: z
    .union([stopText, z.array(stopText).max(1000)])
    .nullable()
    .optional(),
  stream: z.boolean().nullable().optional(),
  stream_options: z
    .strictObject({ include_usage: z.boolean().optional(), include_obfuscation: z.boolean().optional() })
    .nullable()
    .optional(),
  presence_penalty: penalty,
  frequency_penalty: penalty,
  logit_bias: z
    .record(z.string().regex(/^\d{1,9}$/), z.number().min(-100).max(100))
    .nullable()
    .optional(),
  user: z.string().nullable().optional(),
};

export const OpenAiChatRequest = z
  .strictObject({
    ...sampling,
    messages: z.array(Message),
    max_completion_tokens: count,
    response_format: ResponseFormat.nullable().optional(),
    tools: z.array(FunctionTool).max(128).nullable().optional(),
    tool_choice: ToolChoice.nullable().optional(),
    parallel_tool_calls: z.boolean().nullable().optional(),
    reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullable().optional(),
    verbosity: z.enum(['low', 'medium', 'high']).nullable().optional(),
    logprobs: z.boolean().nullable().optional(),
    top_logprobs: z.int().min(0).max(20).nullable().optional(),
    prediction: z
      .strictObject({ type: z.literal('content'), content: text })
      .nullable()
      .optional(),
    prompt_cache_key: z.string().max(1024).nullable().optional(),
    modalities: z.array(z.literal('text')).max(1).nullable().optional(),
    metadata: jsonObject.nullable().optional(),
    // Hints that change no answer.
    store: z.boolean().nullable().optional(),
    service_tier: z.string().max(64).nullable().optional(),
    safety_identifier: z.string().nullable().optional(),
    prompt_cache_retention: z.string().max(64).nullable().optional(),
    // What other servers of this dialect take too.
    top_k: z.int().min(-1).nullable().optional(),
    repetition_penalty: z.number().gt(0).nullable().optional(),
    min_tokens: count,
    guardrails: z.array(GuardrailConfig).max(GUARDRAILS_MAX).nullable().optional(),
  })
  .meta({ id: 'OpenAiChatRequest' });
export type OpenAiChatRequest = z.infer<typeof OpenAiChatRequest>;

export const OpenAiUsage = z
  .object({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    prompt_tokens_details: z.object({ cached_tokens: z.int(), audio_tokens: z.int() }),
    completion_tokens_details: z.object({
      reasoning_tokens: z.int(),
      audio_tokens: z.int(),
      accepted_prediction_tokens: z.int(),
      rejected_prediction_tokens: z.int(),
    }),
  })
  .meta({ id: 'OpenAiUsage' });
export type OpenAiUsage = z.infer<typeof OpenAiUsage>;

const logprobs = z.object({ content: z.array(jsonObject), refusal: z.null() }).nullable();

export const OpenAiChatCompletion = z
  .object({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.int(),
        message: z.object({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.null(),
          annotations: z.array(z.unknown()),
          reasoning_content: z.string().optional(),
          tool_calls: z.array(jsonObject).optional(),
        }),
        logprobs,
        finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']),
      }),
    ),
    usage: OpenAiUsage,
    service_tier: z.string(),
    system_fingerprint: z.null(),
    guardrails: z.array(jsonObject).optional(),
  })
  .meta({ id: 'OpenAiChatCompletion' });
export type OpenAiChatCompletion = z.input<typeof OpenAiChatCompletion>;

export const OpenAiChatChunk = z
  .object({
    data: z.object({
      id: z.string(),
      object: z.literal('chat.completion.chunk'),
      created: z.int(),
      model: z.string(),
      service_tier: z.string(),
      system_fingerprint: z.null(),
      choices: z.array(
        z.object({
          index: z.int(),
          delta: jsonObject,
          logprobs,
          finish_reason: z.string().nullable(),
        }),
      ),
      usage: OpenAiUsage.nullable().optional(),
      obfuscation: z.string().optional(),
    }),
  })
  .meta({ id: 'OpenAiChatChunk' });

export const OpenAiError = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  })
  .meta({ id: 'OpenAiError' });
