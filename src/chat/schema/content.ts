import { z } from 'zod';

const optionalText = z.string().nullable().optional();

export const BuiltInConnectors = z
  .enum(['web_search', 'web_search_premium', 'code_interpreter', 'image_generation', 'document_library'])
  .meta({ id: 'BuiltInConnectors' });

/** A strict object whose `type` may be left out. */
export function typedObject<const Type extends string, Fields extends z.ZodRawShape>(
  type: Type,
  id: string,
  fields: Fields,
) {
  return z.strictObject({ type: z.literal(type).default(type as never), ...fields }).meta({ id });
}

export const TextChunk = typedObject('text', 'TextChunk', { text: z.string() });

const ImageDetail = z.enum(['low', 'auto', 'high']).meta({ id: 'ImageDetail' });

const ImageURL = z
  .strictObject({ url: z.string(), detail: ImageDetail.nullable().optional() })
  .meta({ id: 'ImageURL' });

export const ImageURLChunk = typedObject('image_url', 'ImageURLChunk', { image_url: z.union([ImageURL, z.string()]) });

export const DocumentURLChunk = typedObject('document_url', 'DocumentURLChunk', {
  document_url: z.string(),
  document_name: optionalText,
});

export const ToolFileChunk = typedObject('tool_file', 'ToolFileChunk', {
  tool: z.union([BuiltInConnectors, z.string()]),
  file_id: z.string(),
  file_name: optionalText,
  file_type: optionalText,
});

const ReferenceChunk = typedObject('reference', 'ReferenceChunk', {
  reference_ids: z.array(z.union([z.int(), z.string()])),
});

export const FileChunk = typedObject('file', 'FileChunk', { file_id: z.uuid() });

const AudioChunk = typedObject('input_audio', 'AudioChunk', { input_audio: z.string() });

export const ToolReferenceChunk = typedObject('tool_reference', 'ToolReferenceChunk', {
  tool: z.union([BuiltInConnectors, z.string()]),
  title: z.string(),
  url: optionalText,
  favicon: optionalText,
  description: optionalText,
});

export const ThinkChunk = typedObject('thinking', 'ThinkChunk', {
  thinking: z.array(z.union([TextChunk, ToolReferenceChunk, ReferenceChunk])),
  signature: optionalText,
  closed: z.boolean().default(true),
});

/** What an MCP server gave: its text or its picture, or only its address. */
const ResourceChunk = typedObject('resource', 'ResourceChunk', {
  uri: z.string(),
  content: z.discriminatedUnion('type', [TextChunk, ImageURLChunk]),
});

const ResourceLinkChunk = typedObject('resource_link', 'ResourceLinkChunk', {
  uri: z.string(),
  metadata: z.record(z.string(), z.unknown()).nullable().optional(),
});

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
    ResourceChunk,
    ResourceLinkChunk,
  ])
  .meta({ id: 'ContentChunk' });
export type ContentChunk = z.infer<typeof ContentChunk>;
export type ThinkChunk = z.infer<typeof ThinkChunk>;

/** A resource means what it holds, a link its address. */
export function unwrapResource(chunk: ContentChunk): Exclude<ContentChunk, { type: 'resource' | 'resource_link' }> {
  if (chunk.type === 'resource') return chunk.content;
  return chunk.type === 'resource_link' ? { type: 'text', text: chunk.uri } : chunk;
}

/** The content of user, assistant and tool messages. */
export const Content = z.union([z.string(), z.array(ContentChunk)]).nullable();
export type Content = z.infer<typeof Content>;
