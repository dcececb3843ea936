import { z } from 'zod';
import { GuardrailConfig } from '../../guardrails/index.ts';
import { limitedText, limitJson, limitUnion } from '../../kit/http/index.ts';
import {
  GUARDRAILS_MAX,
  LONG_DESCRIPTION_CHARACTERS_MAX,
  MODEL_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  PREDICTION_CHARACTERS_MAX,
  STOP_CHARACTERS_MAX,
  STOPS_MAX,
  STORED_CHARACTERS_MAX,
  TOOLS_MAX,
  TOP_LOGPROBS_MAX,
} from './limits.ts';
import { Message } from './messages.ts';
import { AnyTool, ToolChoice, ToolChoiceEnum } from './tools.ts';

const stopText = limitedText(STOP_CHARACTERS_MAX);
const stop = limitUnion(z.union([stopText, z.array(stopText).meta({ maxItems: STOPS_MAX })]), {
  characters: STOP_CHARACTERS_MAX,
})
  .nullable()
  .optional();
const top_logprobs = z.int().min(0).max(TOP_LOGPROBS_MAX).nullable().optional();
const documentLimit = z.int().min(0).nullable().optional();
const penalty = z.number().min(-2).max(2).nullable().optional();

const sampling = {
  temperature: z.number().min(0).max(1.5).nullable().optional(),
  top_p: z.number().gt(0).max(1).nullable().optional(),
  max_tokens: z.int().min(0).nullable().optional(),
  stream: z.boolean().default(false),
  stop,
  random_seed: z.int().min(0).nullable().optional(),
  metadata: z.record(z.string(), z.unknown()).nullable().optional(),
  prompt_cache_key: z.string().max(1024).nullable().optional(),
};

const ResponseFormats = z.enum(['text', 'json_object', 'json_schema']).meta({ id: 'ResponseFormats' });

const JsonSchema = z
  .strictObject({
    name: z.string().max(NAME_CHARACTERS_MAX),
    description: z.string().max(LONG_DESCRIPTION_CHARACTERS_MAX).nullable().optional(),
    schema: z.record(z.string(), z.unknown()),
    strict: z.boolean().default(false),
  })
  .meta({ id: 'JsonSchema' });

export const ResponseFormat = z
  .strictObject({ type: ResponseFormats.default('text'), json_schema: JsonSchema.nullable().optional() })
  .meta({ id: 'ResponseFormat' });
export type ResponseFormat = z.infer<typeof ResponseFormat>;

const Prediction = z
  .strictObject({
    type: z.literal('content').default('content'),
    content: z.string().max(PREDICTION_CHARACTERS_MAX).default(''),
  })
  .meta({ id: 'Prediction' });

const ReasoningEffort = z
  .enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
  .meta({ id: 'ReasoningEffort' });

const MistralPromptMode = z.enum(['reasoning']).meta({ id: 'MistralPromptMode' });

const RequestedServiceTier = z.enum(['auto', 'standard_only']).meta({ id: 'RequestedServiceTier' });

/** Of agents and conversations; narrower than chat completions where the published API is. */
export const CompletionArgs = z
  .strictObject({
    stop,
    presence_penalty: penalty,
    frequency_penalty: penalty,
    temperature: z.number().min(0).max(1).nullable().optional(),
    top_p: z.number().min(0).max(1).nullable().optional(),
    max_tokens: z.int().min(0).nullable().optional(),
    random_seed: z.int().min(0).nullable().optional(),
    prediction: Prediction.nullable().optional(),
    response_format: ResponseFormat.nullable().optional(),
    tool_choice: ToolChoiceEnum.default('auto'),
    reasoning_effort: ReasoningEffort.nullable().optional(),
  })
  .check(limitJson(STORED_CHARACTERS_MAX))
  .meta({ id: 'CompletionArgs' });
export type CompletionArgs = z.infer<typeof CompletionArgs>;

export const ChatCompletionRequest = z
  .strictObject({
    model: z.string().max(MODEL_CHARACTERS_MAX),
    ...sampling,
    messages: z.array(Message),
    response_format: ResponseFormat.optional(),
    // More is a 400, as is more than STOPS_MAX of `stop`: to-engine-request.ts.
    tools: z.array(AnyTool).meta({ maxItems: TOOLS_MAX }).nullable().optional(),
    tool_choice: z.union([ToolChoice, ToolChoiceEnum]).default('auto'),
    presence_penalty: penalty,
    frequency_penalty: penalty,
    min_tokens: z.int().min(0).nullable().optional(),
    repetition_penalty: z.number().gt(0).nullable().optional(),
    // -1 and 0 leave every token.
    top_k: z.int().min(-1).nullable().optional(),
    logprobs: z.boolean().nullable().optional(),
    top_logprobs,
    prompt_logprobs: z.boolean().nullable().optional(),
    top_prompt_logprobs: top_logprobs,
    n: z.int().min(1).nullable().optional(),
    prediction: Prediction.default({ type: 'content', content: '' }),
    parallel_tool_calls: z.boolean().default(true),
    reasoning_effort: ReasoningEffort.nullable().optional(),
    prompt_mode: MistralPromptMode.nullable().optional(),
    guardrails: z.array(GuardrailConfig).max(GUARDRAILS_MAX).nullable().optional(),
    service_tier: RequestedServiceTier.nullable().optional(),
    safe_prompt: z.boolean().default(false),
    document_image_limit: documentLimit,
    document_page_limit: documentLimit,
  })
  .meta({ id: 'ChatCompletionRequest' });
/** The optional rest is what other APIs allow and ours does not; no client of ours can send it. */
export type ChatCompletionRequest = z.infer<typeof ChatCompletionRequest> & {
  logitBias?: Record<string, number>;
  /** Messages may follow each other in any order that leaves no tool call without its result. */
  anyOrder?: boolean;
};

// Required although it has a default, as in the published schema.
export const FIMCompletionRequest = z
  .strictObject({
    model: z.string().max(MODEL_CHARACTERS_MAX).meta({ default: 'codestral-2404' }),
    ...sampling,
    prompt: z.string(),
    suffix: z.string().nullable().default(''),
    min_tokens: z.int().min(0).nullable().optional(),
  })
  .meta({ id: 'FIMCompletionRequest' });
export type FIMCompletionRequest = z.infer<typeof FIMCompletionRequest>;
