import { z } from 'zod';
import {
  CALL_ID_CHARACTERS_MAX,
  DESCRIPTION_CHARACTERS_MAX,
  MODEL_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
} from '../../chat/index.ts';
import { queryBool } from '../../kit/http/index.ts';

const name = z.string().min(1).max(NAME_CHARACTERS_MAX);
const callId = z.string().min(1).max(CALL_ID_CHARACTERS_MAX);
const jsonObject = z.record(z.string(), z.unknown());
/** Hints for a cache; this server finds what it holds by itself. */
const cache_control = z.unknown().optional();
const unknownHint = z.unknown().optional();

const TextBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  cache_control,
  citations: z.array(z.unknown()).max(1000).nullable().optional(),
  /** The SDKs add what they read from a structured answer, and clients send it back. */
  parsed_output: unknownHint,
});

const ImageBlock = z.strictObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('base64'), media_type: z.string().max(64), data: z.string() }),
    z.strictObject({ type: z.literal('url'), url: z.string() }),
  ]),
  cache_control,
});
export type ImageBlock = z.infer<typeof ImageBlock>;

const SearchResultBlock = z.strictObject({
  type: z.literal('search_result'),
  source: z.string(),
  title: z.string(),
  content: z.array(TextBlock).max(1000),
  citations: z.unknown().optional(),
  cache_control,
});
export type SearchResultBlock = z.infer<typeof SearchResultBlock>;

const DocumentBlock = z.strictObject({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('content'), content: z.union([z.string(), z.array(TextBlock).max(1000)]) }),
    z.strictObject({ type: z.literal('base64'), media_type: z.string().max(128), data: z.string() }),
    z.strictObject({ type: z.literal('text'), media_type: z.literal('text/plain').optional(), data: z.string() }),
    z.strictObject({ type: z.literal('url'), url: z.string() }),
  ]),
  title: z.string().max(1000).nullable().optional(),
  context: z.string().nullable().optional(),
  citations: z.unknown().optional(),
  cache_control,
});
export type DocumentBlock = z.infer<typeof DocumentBlock>;

const ThinkingBlock = z.strictObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string().optional(),
});

const ToolUseBlock = z.strictObject({
  type: z.literal('tool_use'),
  id: callId,
  name,
  input: jsonObject,
  caller: z.unknown().optional(),
  cache_control,
});

/** A tool whose definition was deferred until now. */
const ToolReferenceBlock = z.strictObject({ type: z.literal('tool_reference'), tool_name: name, cache_control });

const ToolResultBlock = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: callId,
  content: z
    .union([
      z.string(),
      z.array(
        z.discriminatedUnion('type', [TextBlock, ImageBlock, DocumentBlock, SearchResultBlock, ToolReferenceBlock]),
      ),
    ])
    .optional(),
  is_error: z.boolean().optional(),
  toolset_name: z.null().optional(),
  cache_control,
});
export type ToolResultBlock = z.infer<typeof ToolResultBlock>;

const UserMessage = z.strictObject({
  role: z.literal('user'),
  content: z.union([
    z.string(),
    z.array(z.discriminatedUnion('type', [TextBlock, ImageBlock, DocumentBlock, SearchResultBlock, ToolResultBlock])),
  ]),
});

const AssistantMessage = z.strictObject({
  role: z.literal('assistant'),
  content: z.union([
    z.string(),
    z.array(
      z.discriminatedUnion('type', [
        TextBlock,
        ThinkingBlock,
        ToolUseBlock,
        z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
      ]),
    ),
  ]),
});

const Tool = z.strictObject({
  type: z
    .literal('custom', { error: 'tools that this API runs itself are not served here: send tools of type custom' })
    .nullable()
    .optional(),
  name,
  description: z.string().max(DESCRIPTION_CHARACTERS_MAX).optional(),
  input_schema: jsonObject,
  strict: z.boolean().optional(),
  cache_control,
  defer_loading: z.boolean().optional(),
  eager_input_streaming: z.boolean().nullable().optional(),
  input_examples: z.array(jsonObject).max(100).optional(),
  allowed_callers: z.array(z.string().max(64)).max(8).optional(),
});
export type AnthropicTool = z.infer<typeof Tool>;

const ToolReference = z.strictObject({ type: z.literal('tool_reference'), name });

/** Instructions between the messages; they can also change which tools there are. */
const SystemMessage = z.strictObject({
  role: z.literal('system'),
  content: z
    .union([
      z.string(),
      z.array(
        z.discriminatedUnion('type', [
          TextBlock,
          z.strictObject({
            type: z.literal('tool_addition'),
            tool: z.discriminatedUnion('type', [
              ToolReference,
              z.strictObject({ type: z.literal('tool_definition'), definition: Tool }),
            ]),
            cache_control,
          }),
          z.strictObject({ type: z.literal('tool_removal'), tool: ToolReference, cache_control }),
        ]),
      ),
    ])
    .optional(),
  clear_at: z.enum(['next_user_message', 'never']).nullable().optional(),
});
export type SystemMessage = z.infer<typeof SystemMessage>;

const Message = z.discriminatedUnion('role', [UserMessage, AssistantMessage, SystemMessage]);
export type AnthropicMessage = z.infer<typeof Message>;

const disable_parallel_tool_use = z.boolean().optional();
const ToolChoice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto'), disable_parallel_tool_use }),
  z.strictObject({ type: z.literal('any'), disable_parallel_tool_use }),
  z.strictObject({ type: z.literal('tool'), name, disable_parallel_tool_use }),
  z.strictObject({ type: z.literal('none') }),
]);

const display = z.enum(['summarized', 'omitted', 'updates']).nullable().optional();
const block_binding = z.unknown().optional();
const Thinking = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1), display, block_binding }),
  z.strictObject({ type: z.literal('adaptive'), display, block_binding }),
  z.strictObject({ type: z.literal('between_tools'), display, block_binding }),
  z.strictObject({ type: z.literal('disabled') }),
]);

const OutputFormat = z.strictObject({ type: z.literal('json_schema'), schema: jsonObject });

const question = {
  model: z.string().min(1).max(MODEL_CHARACTERS_MAX),
  messages: z.array(Message).min(1),
  system: z.union([z.string(), z.array(TextBlock)]).optional(),
  tools: z.array(Tool).max(128).optional(),
  tool_choice: ToolChoice.optional(),
  thinking: Thinking.optional(),
  output_config: z
    .strictObject({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullable().optional(),
      format: OutputFormat.nullable().optional(),
    })
    .optional(),
  /** The older name of output_config.format. */
  output_format: OutputFormat.nullable().optional(),
  // Hints that change no answer.
  cache_control,
  context_management: unknownHint,
  speed: unknownHint,
  user_profile_id: unknownHint,
  workspace_id: unknownHint,
};

export const MessageCreateRequest = z
  .strictObject({
    ...question,
    max_tokens: z.int().min(1),
    stop_sequences: z.array(z.string().max(1000)).max(1000).optional(),
    stream: z.boolean().optional(),
    temperature: z.number().min(0).max(1).optional(),
    top_p: z.number().gt(0).max(1).optional(),
    top_k: z.int().min(0).optional(),
    metadata: z.strictObject({ user_id: z.string().max(512).nullable().optional() }).optional(),
    service_tier: unknownHint,
    inference_geo: unknownHint,
    diagnostics: unknownHint,
    /** Refused in words by which the SDKs go on without one. */
    thread: z
      .looseObject({ type: z.string().max(64) })
      .nullable()
      .optional(),
    container: z.null({ error: 'there are no containers here: leave it out' }).optional(),
  })
  .meta({ id: 'AnthropicMessageRequest' });
export type MessageCreateRequest = z.infer<typeof MessageCreateRequest>;

export const MessageCountRequest = z.strictObject(question).meta({ id: 'AnthropicCountRequest' });
export type MessageCountRequest = z.infer<typeof MessageCountRequest>;

/** Older clients say so when they send a beta header. */
export const AnthropicQuery = z.strictObject({ beta: queryBool().optional() });

export const AnthropicTokensCount = z.object({ input_tokens: z.int() }).meta({ id: 'AnthropicTokensCount' });

const Usage = z.object({
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_creation_input_tokens: z.int(),
  cache_read_input_tokens: z.int(),
});
export type AnthropicUsage = z.infer<typeof Usage>;

export const AnthropicMessage = z
  .object({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string(),
    content: z.array(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('text'), text: z.string() }),
        z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
        z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: jsonObject }),
      ]),
    ),
    stop_reason: z
      .enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'model_context_window_exceeded'])
      .nullable(),
    stop_sequence: z.string().nullable(),
    usage: Usage,
  })
  .meta({ id: 'AnthropicMessage' });
export type AnthropicReply = z.input<typeof AnthropicMessage>;

export const AnthropicEvent = z
  .object({
    event: z.enum([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
      'error',
    ]),
    data: jsonObject,
  })
  .meta({ id: 'AnthropicEvent' });

export const AnthropicError = z
  .object({
    type: z.literal('error'),
    error: z.object({ type: z.string(), message: z.string(), details: jsonObject.optional() }),
  })
  .meta({ id: 'AnthropicError' });
