import { z } from 'zod';
import { NAME_CHARACTERS_MAX } from '../../chat/index.ts';
import { limitJson, queryBool, queryInt, queryRepeated } from '../../kit/http/index.ts';
import { StoredInputItem } from './response-items.ts';
import {
  CreateResponseResponse,
  FunctionTool,
  generation,
  ITEMS_MAX,
  NamespaceTool,
  ToolChoiceFunction,
  ToolChoiceMode,
} from './responses.ts';

/** As JSON: they are kept with the response. */
const STORED_CHARACTERS_MAX = 1024 * 1024;
const name = z.string().min(1).max(NAME_CHARACTERS_MAX);
const jsonObject = z.record(z.string(), z.unknown());
const hint = z.unknown().optional();
const label = z.string().max(64).nullable().optional();

const webSearch = <const Type extends string>(type: Type) =>
  z.strictObject({
    type: z.literal(type),
    /** Hints for the search; the search that the operator chose decides. */
    search_context_size: hint,
    user_location: hint,
    external_web_access: hint,
    filters: z.null({ error: 'searches here have no filters: leave it out' }).optional(),
  });

const CodeInterpreter = z.strictObject({
  type: z.literal('code_interpreter'),
  container: z
    .strictObject({
      type: z.literal('auto'),
      file_ids: z.array(z.string()).max(0, { error: 'files are not put into containers here' }).nullable().optional(),
      memory_limit: hint,
    })
    .optional(),
});

/** A connector of this server, by its name or id. Addresses are the operator's to choose. */
const Mcp = z.strictObject({
  type: z.literal('mcp'),
  server_label: name,
  connector_id: name.nullable().optional(),
  server_url: z
    .null({ error: 'the operator adds MCP servers as connectors: name one as server_label or connector_id' })
    .optional(),
  server_description: z.string().max(10_000).nullable().optional(),
  authorization: z.string().max(16_384).nullable().optional(),
  headers: z.null({ error: 'send the token as authorization' }).optional(),
  allowed_tools: z
    .union([z.array(name).max(1000), z.strictObject({ tool_names: z.array(name).max(1000) })])
    .nullable()
    .optional(),
  require_approval: z
    .literal('never', { error: "calls are not approved one by one here: send 'never'" })
    .nullable()
    .optional(),
});

const ImageGeneration = z.strictObject({
  type: z.literal('image_generation'),
  background: hint,
  model: hint,
  moderation: hint,
  output_compression: hint,
  output_format: hint,
  partial_images: hint,
  quality: hint,
  size: hint,
});

/** A vector store is a library here: `vector_store_ids` are the ids of libraries. */
const FileSearch = z.strictObject({
  type: z.literal('file_search'),
  vector_store_ids: z
    .array(z.guid({ error: 'vector stores are libraries here: send the id of a library' }))
    .min(1)
    .max(20),
  /** The most that a search returns; it returns six at most. */
  max_num_results: z
    .int()
    .min(6, { error: 'a search returns up to six passages: send 6 or more' })
    .max(50)
    .nullable()
    .optional(),
  filters: z.null({ error: 'searches here have no filters: leave it out' }).optional(),
  ranking_options: z.null({ error: 'the ranking is that of the libraries: leave it out' }).optional(),
});

/** Tools of the client, and tools that the server runs. */
const AnyTool = z.discriminatedUnion('type', [
  FunctionTool,
  NamespaceTool,
  webSearch('web_search'),
  webSearch('web_search_2025_08_26'),
  webSearch('web_search_preview'),
  webSearch('web_search_preview_2025_03_11'),
  CodeInterpreter,
  Mcp,
  ImageGeneration,
  FileSearch,
]);
export type AnyTool = z.infer<typeof AnyTool>;

const StoredInput = z.union([z.string(), z.array(StoredInputItem).max(ITEMS_MAX)]);

export const OpenAiResponseRequest = z
  .strictObject({
    ...generation,
    input: StoredInput,
    truncation: z.enum(['disabled', 'auto']).nullable().optional(),
    tools: z.array(AnyTool).max(128).check(limitJson(STORED_CHARACTERS_MAX)).nullable().optional(),
    tool_choice: z.union([ToolChoiceFunction, ToolChoiceMode]).nullable().optional(),
    reasoning: z
      .strictObject({
        effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullable().optional(),
        summary: z.enum(['auto', 'concise', 'detailed']).nullable().optional(),
        generate_summary: z.enum(['auto', 'concise', 'detailed']).nullable().optional(),
      })
      .nullable()
      .optional(),
    previous_response_id: z.string().max(256).nullable().optional(),
    store: z.boolean().nullable().optional(),
    background: z.boolean().nullable().optional(),
    conversation: z.null({ error: 'continue a response with previous_response_id' }).optional(),
    prompt: z.null({ error: "send the prompt as the model: 'prompt:name'" }).optional(),
    top_logprobs: z.literal(0, { error: 'log probabilities are for chat completions' }).nullable().optional(),
    // Hints that change no answer.
    include: z.array(z.string().max(128)).max(32).nullable().optional(),
    stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).nullable().optional(),
    user: z.string().max(512).nullable().optional(),
    safety_identifier: z.string().max(512).nullable().optional(),
    service_tier: label,
    prompt_cache_retention: label,
    /** What coding agents say about themselves. */
    client_metadata: hint,
  })
  .meta({ id: 'OpenAiResponseRequest' });
export type OpenAiResponseRequest = z.infer<typeof OpenAiResponseRequest>;

const AnyItem = z.looseObject({ type: z.string(), id: z.string().optional() });

/** With items and tools that only responses of this dialect have. */
export const OpenAiResponse = CreateResponseResponse.extend({
  output: z.array(AnyItem),
  tools: z.array(jsonObject),
}).meta({ id: 'OpenAiResponse' });

/** An event of a stream; the API has many more of them with tools that the server runs. */
export const OpenAiResponseFrame = z
  .object({ event: z.string(), data: z.looseObject({ type: z.string(), sequence_number: z.int() }) })
  .meta({ id: 'OpenAiResponseFrame' });

export const OpenAiResponseParams = z.strictObject({ response_id: z.string().max(256) });

const include = queryRepeated(z.string().max(128)).optional();

export const OpenAiResponseQuery = z.strictObject({
  stream: queryBool().optional(),
  starting_after: queryInt().min(0).optional(),
  include,
  'include[]': include,
  include_obfuscation: queryBool().optional(),
});
export type OpenAiResponseQuery = z.infer<typeof OpenAiResponseQuery>;

export const InputItemsQuery = z.strictObject({
  after: z.string().max(256).optional(),
  limit: queryInt().min(1).max(100).default(20),
  order: z.enum(['asc', 'desc']).default('desc'),
  include,
  'include[]': include,
});
export type InputItemsQuery = z.infer<typeof InputItemsQuery>;

export const OpenAiItemList = z
  .object({
    object: z.literal('list'),
    data: z.array(AnyItem),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'OpenAiItemList' });

export const OpenAiCountRequest = OpenAiResponseRequest.pick({
  model: true,
  input: true,
  instructions: true,
  parallel_tool_calls: true,
  truncation: true,
  tools: true,
  tool_choice: true,
  reasoning: true,
  text: true,
  previous_response_id: true,
  conversation: true,
}).meta({ id: 'OpenAiCountRequest' });
export type OpenAiCountRequest = z.infer<typeof OpenAiCountRequest>;
