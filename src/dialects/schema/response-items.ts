import { z } from 'zod';
import { CALL_ID_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from '../../chat/index.ts';

const ITEM_ID_CHARACTERS_MAX = 512;
const id = z.string().max(ITEM_ID_CHARACTERS_MAX);
const callId = z.string().min(1).max(CALL_ID_CHARACTERS_MAX);
const name = z.string().min(1).max(NAME_CHARACTERS_MAX);
const text = z.string().nullable().optional();
const status = z.enum(['in_progress', 'completed', 'incomplete']).nullable().optional();
const phase = z.enum(['commentary', 'final_answer']).nullable().optional();
/** A hint for caches, which find what they hold by themselves here. */
const prompt_cache_breakpoint = z
  .strictObject({ mode: z.literal('explicit').default('explicit') })
  .nullable()
  .optional();

const InputText = z
  .strictObject({ type: z.literal('input_text'), text: z.string(), prompt_cache_breakpoint })
  .meta({ id: 'ResponsesInputText' });

const InputImage = z
  .strictObject({
    type: z.literal('input_image'),
    detail: z.enum(['low', 'high', 'auto', 'original']).nullable().optional(),
    image_url: text,
    file_id: text,
    prompt_cache_breakpoint,
  })
  .meta({ id: 'ResponsesInputImage' });

const InputFile = z
  .strictObject({
    type: z.literal('input_file'),
    detail: z.enum(['auto', 'low', 'high']).nullable().optional(),
    file_data: text,
    file_id: text,
    file_url: text,
    filename: text,
    prompt_cache_breakpoint,
  })
  .meta({ id: 'ResponsesInputFile' });

const InputContent = z.discriminatedUnion('type', [InputText, InputImage, InputFile]);
export type InputContent = z.infer<typeof InputContent>;

const TopLogprob = z.strictObject({ token: z.string(), bytes: z.array(z.int()), logprob: z.number() });

const Annotation = z.discriminatedUnion('type', [
  z
    .strictObject({ type: z.literal('file_citation'), file_id: z.string(), filename: z.string(), index: z.int() })
    .meta({ id: 'ResponsesAnnotationFileCitation' }),
  z
    .strictObject({
      type: z.literal('url_citation'),
      start_index: z.int(),
      end_index: z.int(),
      title: z.string(),
      url: z.string(),
    })
    .meta({ id: 'ResponsesAnnotationURLCitation' }),
  z
    .strictObject({
      type: z.literal('container_file_citation'),
      container_id: z.string(),
      file_id: z.string(),
      filename: z.string(),
      start_index: z.int(),
      end_index: z.int(),
    })
    .meta({ id: 'ResponsesAnnotationContainerFileCitation' }),
  z
    .strictObject({ type: z.literal('file_path'), file_id: z.string(), index: z.int() })
    .meta({ id: 'ResponsesAnnotationFilePath' }),
]);
export type Annotation = z.infer<typeof Annotation>;

export const OutputText = z
  .strictObject({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(Annotation).default([]),
    logprobs: z
      .array(TopLogprob.extend({ top_logprobs: z.array(TopLogprob) }))
      .nullable()
      .optional(),
  })
  .meta({ id: 'ResponsesOutputText' });

export const OutputRefusal = z
  .strictObject({ type: z.literal('refusal'), refusal: z.string() })
  .meta({ id: 'ResponsesOutputRefusal' });

const InputMessage = z
  .strictObject({
    type: z.literal('message'),
    id: id.nullable().optional(),
    role: z.enum(['user', 'system', 'developer']),
    content: z.union([z.string(), z.array(InputContent)]),
    status,
    phase,
  })
  .meta({ id: 'ResponsesEasyInputMessage' });

const AssistantMessage = z
  .strictObject({
    type: z.literal('message'),
    id: id.nullable().optional(),
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [OutputText, OutputRefusal, InputText]))]),
    status,
    phase,
  })
  .meta({ id: 'ResponsesAssistantMessage' });

const caller = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('direct') }),
    z.strictObject({ type: z.literal('program'), caller_id: z.string() }),
  ])
  .nullable()
  .optional();

export const FunctionToolCall = z
  .strictObject({
    type: z.literal('function_call'),
    id: id.nullable().optional(),
    call_id: callId,
    name,
    namespace: z.string().max(NAME_CHARACTERS_MAX).nullable().optional(),
    arguments: z.string(),
    caller,
    status,
  })
  .meta({ id: 'ResponsesFunctionToolCall' });

const FunctionCallOutput = z
  .strictObject({
    type: z.literal('function_call_output'),
    id: id.nullable().optional(),
    call_id: callId,
    output: z.union([z.string(), z.array(InputContent)]),
    caller,
    status,
  })
  .meta({ id: 'ResponsesFunctionCallOutput' });

export const ReasoningItem = z
  .strictObject({
    type: z.literal('reasoning'),
    id: id.nullable().optional(),
    summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })).default([]),
    content: z
      .array(z.strictObject({ type: z.literal('reasoning_text'), text: z.string() }))
      .nullable()
      .optional(),
    encrypted_content: text,
    status,
  })
  .meta({ id: 'ResponsesReasoningItem' });

const Message = z.discriminatedUnion('role', [InputMessage, AssistantMessage]);

/** An item of `input`. */
export const InputItem = z.preprocess(
  addDefaultType,
  z
    .discriminatedUnion('type', [Message, FunctionToolCall, FunctionCallOutput, ReasoningItem])
    .meta({ id: 'ResponsesInputItem' }),
);
export type InputItem = z.infer<typeof InputItem>;

/** What a tool of the server did in an earlier response, as it was shown. */
const ServerToolItem = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('web_search_call'), id: text, action: z.record(z.string(), z.unknown()).optional() }),
  z.looseObject({ type: z.literal('file_search_call'), id: text, queries: z.array(z.string()).max(100).optional() }),
  z.looseObject({
    type: z.literal('code_interpreter_call'),
    id: text,
    code: text,
    outputs: z.array(z.unknown()).max(1000).nullable().optional(),
  }),
  z.looseObject({ type: z.literal('mcp_call'), id: text, name, arguments: z.string(), output: text }),
  z.looseObject({ type: z.literal('image_generation_call'), id: text }),
  z.looseObject({ type: z.literal('mcp_list_tools'), id: text }),
]);
export type ServerToolItem = z.infer<typeof ServerToolItem>;

/** OpenAI's SDKs add what they read from a text or from arguments, and clients send it back with the item. */
const parsed = z.unknown().optional();
const StoredAssistantMessage = AssistantMessage.extend({
  content: z.union([
    z.string(),
    z.array(
      z.discriminatedUnion('type', [
        OutputText.extend({ parsed }).meta({ id: 'OpenAiOutputText' }),
        OutputRefusal.extend({ parsed }).meta({ id: 'OpenAiOutputRefusal' }),
        InputText,
      ]),
    ),
  ]),
}).meta({ id: 'OpenAiAssistantMessage' });
const StoredFunctionToolCall = FunctionToolCall.extend({ parsed_arguments: parsed }).meta({
  id: 'OpenAiFunctionToolCall',
});

const ItemReference = z.strictObject({ type: z.literal('item_reference'), id });

/** An item of `input` where responses are kept: also by its id, and of tools that the server ran. */
export const StoredInputItem = z.preprocess(
  addDefaultType,
  z
    .discriminatedUnion('type', [
      z.discriminatedUnion('role', [InputMessage, StoredAssistantMessage]),
      StoredFunctionToolCall,
      FunctionCallOutput,
      ReasoningItem,
      ItemReference,
      ...ServerToolItem.options,
    ])
    .meta({ id: 'OpenAiInputItem' }),
);
export type StoredInputItem = z.infer<typeof StoredInputItem>;

/** An item without a type is a message, as in the published API. */
function addDefaultType(item: unknown): unknown {
  const isUntyped = typeof item === 'object' && item !== null && !Array.isArray(item);
  return isUntyped && (item as { type?: unknown }).type == null ? { ...item, type: 'message' } : item;
}

/** A message of a response. */
export const OutputMessage = z
  .object({
    type: z.literal('message'),
    id: z.string(),
    role: z.literal('assistant'),
    status: z.enum(['in_progress', 'completed', 'incomplete']),
    content: z.array(z.discriminatedUnion('type', [OutputText, OutputRefusal])),
    phase,
  })
  .meta({ id: 'ResponsesOutputMessage' });
