import { z } from 'zod';
import {
  DESCRIPTION_CHARACTERS_MAX,
  INSTRUCTIONS_CHARACTERS_MAX,
  MODEL_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
} from '../../chat/index.ts';
import {
  FunctionToolCall,
  InputItem,
  OutputMessage,
  OutputRefusal,
  OutputText,
  ReasoningItem,
} from './response-items.ts';

const METADATA_PAIRS_MAX = 16;
export const ITEMS_MAX = 10_000;

const name = z.string().min(1).max(NAME_CHARACTERS_MAX);
const description = z.string().max(DESCRIPTION_CHARACTERS_MAX).nullable().optional();
const allowed_callers = z
  .array(z.enum(['direct', 'programmatic']))
  .max(2)
  .nullable()
  .optional();
const flag = z.boolean().nullable().optional();
const jsonObject = z.record(z.string(), z.unknown());

export const FunctionTool = z
  .strictObject({
    type: z.literal('function'),
    name,
    description,
    parameters: jsonObject.nullable().optional(),
    strict: flag,
    allowed_callers,
    defer_loading: flag,
    output_schema: jsonObject.nullable().optional(),
  })
  .meta({ id: 'ResponsesFunctionTool' });
export type FunctionTool = z.infer<typeof FunctionTool>;

const CustomTool = z
  .strictObject({
    type: z.literal('custom'),
    name,
    description,
    format: jsonObject.nullable().optional(),
    allowed_callers,
    defer_loading: flag,
  })
  .meta({ id: 'ResponsesCustomTool' });

export const NamespaceTool = z
  .strictObject({
    type: z.literal('namespace'),
    name,
    description: z.string().max(DESCRIPTION_CHARACTERS_MAX),
    tools: z.array(z.discriminatedUnion('type', [FunctionTool, CustomTool])).max(128),
  })
  .meta({ id: 'ResponsesNamespaceTool' });
export type NamespaceTool = z.infer<typeof NamespaceTool>;

const Tool = z.discriminatedUnion('type', [FunctionTool, NamespaceTool]);

export const ToolChoiceFunction = z
  .strictObject({ type: z.literal('function').default('function'), name })
  .meta({ id: 'ResponsesToolChoiceFunction' });
export const ToolChoiceMode = z.enum(['none', 'auto', 'required']);

const Reasoning = z
  .strictObject({
    effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullable().optional(),
  })
  .meta({ id: 'ResponsesSupportedReasoning' });

const Format = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }).meta({ id: 'ResponsesFormatText' }),
  z.strictObject({ type: z.literal('json_object') }).meta({ id: 'ResponsesFormatJSONObject' }),
  z
    .strictObject({ type: z.literal('json_schema'), name, description, schema: jsonObject, strict: flag })
    .meta({ id: 'ResponsesFormatTextJSONSchemaConfig' }),
]);

export const TextConfig = z
  .strictObject({
    format: Format.nullable().optional(),
    verbosity: z.enum(['low', 'medium', 'high']).nullable().optional(),
  })
  .meta({ id: 'ResponsesTextConfig' });

/** Fields of the published schema that only a server which keeps responses could honour. */
const unkept = z.null({ error: 'responses are not kept here: send the whole history in input' }).optional();

export const ResponseMetadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine((given) => Object.keys(given).length <= METADATA_PAIRS_MAX, {
    error: `this may have at most ${METADATA_PAIRS_MAX} pairs`,
  })
  .meta({ maxProperties: METADATA_PAIRS_MAX });

export const ResponseInput = z.union([z.string(), z.array(InputItem).max(ITEMS_MAX)]);
export type ResponseInput = z.infer<typeof ResponseInput>;

/** What decides the tokens that the model reads. */
const question = {
  model: z.string().min(1).max(MODEL_CHARACTERS_MAX),
  input: ResponseInput,
  instructions: z.string().max(INSTRUCTIONS_CHARACTERS_MAX).nullable().optional(),
  parallel_tool_calls: z.boolean().nullable().optional(),
  truncation: z.literal('disabled').nullable().optional(),
  tool_choice: z.union([ToolChoiceFunction, ToolChoiceMode]).nullable().optional(),
  text: TextConfig.nullable().optional(),
};

export const generation = {
  ...question,
  stream: z.boolean().nullable().default(false),
  max_output_tokens: z.int().min(1).nullable().optional(),
  temperature: z.number().min(0).max(2).nullable().optional(),
  top_p: z.number().gt(0).max(1).nullable().optional(),
  metadata: ResponseMetadata.nullable().optional(),
  prompt_cache_key: z.string().max(1024).nullable().optional(),
  max_tool_calls: z.int().min(1).nullable().optional(),
};

const stateless = { previous_response_id: unkept, conversation: unkept, prompt: unkept };
const native = { tools: z.array(Tool).max(128).nullable().optional(), reasoning: Reasoning.nullable().optional() };

export const CreateResponseRequest = z
  .strictObject({
    ...generation,
    ...native,
    ...stateless,
    moderation: z
      .null({ error: 'this is not supported: use guardrails of an agent, or POST /v1/moderations' })
      .optional(),
    background: z.literal(false).nullable().optional(),
    store: z.literal(false).nullable().optional(),
    top_logprobs: z.literal(0).nullable().optional(),
  })
  .meta({ id: 'CreateResponseRequest' });
export type CreateResponseRequest = z.infer<typeof CreateResponseRequest>;

export const CountResponseInputTokensRequest = z
  .strictObject({ ...question, ...native, ...stateless })
  .meta({ id: 'CountResponseInputTokensRequest' });
export type CountResponseInputTokensRequest = z.infer<typeof CountResponseInputTokensRequest>;

export const CountResponseInputTokensResponse = z
  .object({ object: z.literal('response.input_tokens'), input_tokens: z.int() })
  .meta({ id: 'CountResponseInputTokensResponse' });

const ResponsesUsage = z
  .object({
    input_tokens: z.int(),
    input_tokens_details: z.object({ cache_write_tokens: z.int(), cached_tokens: z.int() }),
    output_tokens: z.int(),
    output_tokens_details: z.object({ reasoning_tokens: z.int() }),
    total_tokens: z.int(),
  })
  .meta({ id: 'ResponsesUsage' });
export type ResponsesUsage = z.infer<typeof ResponsesUsage>;

const OutputItem = z.discriminatedUnion('type', [OutputMessage, FunctionToolCall, ReasoningItem]);
/** An item of `output`; other kinds come from tools that the server runs. */
export type OutputItem =
  | z.input<typeof OutputItem>
  | ({
      type: 'web_search_call' | 'file_search_call' | 'code_interpreter_call' | 'mcp_call' | 'image_generation_call';
      id: string;
    } & Record<string, unknown>);

const response = {
  id: z.string(),
  object: z.literal('response'),
  created_at: z.number(),
  completed_at: z.number().nullable().optional(),
  status: z.enum(['completed', 'failed', 'in_progress', 'cancelled', 'queued', 'incomplete']),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.object({ reason: z.enum(['max_output_tokens', 'content_filter']) }).nullable(),
  instructions: z.string().nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  model: z.string(),
  output: z.array(OutputItem),
  parallel_tool_calls: z.boolean(),
  previous_response_id: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
  prompt_cache_retention: z.null(),
  safety_identifier: z.null(),
  reasoning: z.object({ effort: z.string().nullable() }).nullable(),
  service_tier: z.string(),
  store: z.boolean(),
  background: z.boolean(),
  temperature: z.number().nullable(),
  text: TextConfig.nullable(),
  tool_choice: z.union([ToolChoiceFunction, ToolChoiceMode]),
  tools: z.array(Tool),
  top_logprobs: z.int(),
  top_p: z.number().nullable(),
  truncation: z.enum(['auto', 'disabled']),
  usage: ResponsesUsage.nullable(),
  user: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
};

export const CreateResponseResponse = z.object(response).meta({ id: 'CreateResponseResponse' });

/** In our own hands: also with tools and items that only stored responses have. */
export type ResponseBody = Omit<z.input<typeof CreateResponseResponse>, 'output' | 'tools' | 'tool_choice' | 'text'> & {
  output: OutputItem[];
  tools: unknown[];
  tool_choice: unknown;
  text: unknown;
};

const sequence_number = z.int();
const output_index = z.int();
const place = { sequence_number, output_index, item_id: z.string() };
const Part = z.discriminatedUnion('type', [
  OutputText,
  OutputRefusal,
  z.object({ type: z.literal('reasoning_text'), text: z.string() }).meta({ id: 'ResponsesPartReasoningText' }),
]);
const tokenLogprob = { token: z.string(), logprob: z.number() };
const logprobs = z.array(z.object({ ...tokenLogprob, top_logprobs: z.array(z.object(tokenLogprob)) }));

function event<const Type extends string, Fields extends z.ZodRawShape>(type: Type, id: string, fields: Fields) {
  return z.object({ type: z.literal(type), ...fields }).meta({ id });
}

const whole = { sequence_number, response: CreateResponseResponse };
const item = { sequence_number, output_index, item: OutputItem };

/** Every event of a stream. */
export const ResponsesStreamFrame = z
  .object({
    event: z.string(),
    data: z.discriminatedUnion('type', [
      event('response.created', 'ResponsesCreatedEvent', whole),
      event('response.in_progress', 'ResponsesInProgressEvent', whole),
      event('response.completed', 'ResponsesCompletedEvent', whole),
      event('response.incomplete', 'ResponsesIncompleteEvent', whole),
      event('response.failed', 'ResponsesFailedEvent', whole),
      event('error', 'ResponsesErrorEvent', {
        sequence_number,
        message: z.string(),
        code: z.string().nullable(),
        param: z.string().nullable(),
      }),
      event('response.output_item.added', 'ResponsesOutputItemAddedEvent', item),
      event('response.output_item.done', 'ResponsesOutputItemDoneEvent', item),
      event('response.content_part.added', 'ResponsesContentPartAddedEvent', {
        ...place,
        content_index: z.int(),
        part: Part,
      }),
      event('response.content_part.done', 'ResponsesContentPartDoneEvent', {
        ...place,
        content_index: z.int(),
        part: Part,
      }),
      event('response.output_text.delta', 'ResponsesTextDeltaEvent', {
        ...place,
        content_index: z.int(),
        delta: z.string(),
        logprobs,
      }),
      event('response.output_text.done', 'ResponsesTextDoneEvent', {
        ...place,
        content_index: z.int(),
        text: z.string(),
        logprobs,
      }),
      event('response.reasoning_text.delta', 'ResponsesReasoningTextDeltaEvent', {
        ...place,
        content_index: z.int(),
        delta: z.string(),
      }),
      event('response.reasoning_text.done', 'ResponsesReasoningTextDoneEvent', {
        ...place,
        content_index: z.int(),
        text: z.string(),
      }),
      event('response.function_call_arguments.delta', 'ResponsesFunctionCallArgumentsDeltaEvent', {
        ...place,
        delta: z.string(),
      }),
      event('response.function_call_arguments.done', 'ResponsesFunctionCallArgumentsDoneEvent', {
        ...place,
        name: z.string(),
        arguments: z.string(),
      }),
    ]),
  })
  .meta({ id: 'ResponsesStreamFrame' });
