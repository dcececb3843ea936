import { z } from 'zod';

const optionalText = z.string().nullable().optional();

export const BuiltInConnectors = z
  .enum(['web_search', 'web_search_premium', 'code_interpreter', 'image_generation', 'document_library'])
  .meta({ id: 'BuiltInConnectors' });

export const TextChunk = z
  .strictObject({ type: z.literal('text').default('text'), text: z.string() })
  .meta({ id: 'TextChunk' });

const ImageDetail = z.enum(['low', 'auto', 'high']).meta({ id: 'ImageDetail' });

const ImageURL = z
  .strictObject({ url: z.string(), detail: ImageDetail.nullable().optional() })
  .meta({ id: 'ImageURL' });

export const ImageURLChunk = z
  .strictObject({ type: z.literal('image_url').default('image_url'), image_url: z.union([ImageURL, z.string()]) })
  .meta({ id: 'ImageURLChunk' });

export const DocumentURLChunk = z
  .strictObject({
    type: z.literal('document_url').default('document_url'),
    document_url: z.string(),
    document_name: optionalText,
  })
  .meta({ id: 'DocumentURLChunk' });

export const ToolFileChunk = z
  .strictObject({
    type: z.literal('tool_file').default('tool_file'),
    tool: z.union([BuiltInConnectors, z.string()]),
    file_id: z.string(),
    file_name: optionalText,
    file_type: optionalText,
  })
  .meta({ id: 'ToolFileChunk' });

const ReferenceChunk = z
  .strictObject({
    type: z.literal('reference').default('reference'),
    reference_ids: z.array(z.union([z.int(), z.string()])),
  })
  .meta({ id: 'ReferenceChunk' });

export const FileChunk = z
  .strictObject({ type: z.literal('file').default('file'), file_id: z.uuid() })
  .meta({ id: 'FileChunk' });

const AudioChunk = z
  .strictObject({ type: z.literal('input_audio').default('input_audio'), input_audio: z.string() })
  .meta({ id: 'AudioChunk' });

export const ToolReferenceChunk = z
  .strictObject({
    type: z.literal('tool_reference').default('tool_reference'),
    tool: z.union([BuiltInConnectors, z.string()]),
    title: z.string(),
    url: optionalText,
    favicon: optionalText,
    description: optionalText,
  })
  .meta({ id: 'ToolReferenceChunk' });

export const ThinkChunk = z
  .strictObject({
    type: z.literal('thinking').default('thinking'),
    thinking: z.array(z.union([TextChunk, ToolReferenceChunk, ReferenceChunk])),
    signature: optionalText,
    closed: z.boolean().default(true),
  })
  .meta({ id: 'ThinkChunk' });

export const SystemMessageContentChunks = z
  .discriminatedUnion('type', [TextChunk, ThinkChunk])
  .meta({ id: 'SystemMessageContentChunks' });

export const ContentChunk = z
  .discriminatedUnion('type', [
    TextChunk,
    ImageURLChunk,
    DocumentURLChunk,
    ReferenceChunk,
    FileChunk,
    ThinkChunk,
    AudioChunk,
  ])
  .meta({ id: 'ContentChunk' });
export type ContentChunk = z.infer<typeof ContentChunk>;
export type ThinkChunk = z.infer<typeof ThinkChunk>;

/** The content of user, assistant and tool messages. */
export const Content = z.union([z.string(), z.array(ContentChunk)]).nullable();
export type Content = z.infer<typeof Content>;
