import { z } from 'zod';
import { limitedObject, queryBool, queryInt } from '../../kit/http/index.ts';
import { CredentialsName } from './credentials.ts';

const Schema = z.record(z.string(), z.unknown());
const Meta = z.record(z.string(), z.unknown()).nullable().optional();

const ToolAnnotations = z
  .strictObject({
    title: z.string().nullable().optional(),
    readOnlyHint: z.boolean().nullable().optional(),
    destructiveHint: z.boolean().nullable().optional(),
    idempotentHint: z.boolean().nullable().optional(),
    openWorldHint: z.boolean().nullable().optional(),
  })
  .meta({ id: 'ToolAnnotations' });
export type ToolAnnotations = z.infer<typeof ToolAnnotations>;

export const MCPTool = z
  .strictObject({
    name: z.string(),
    title: z.string().nullable().optional(),
    description: z.string().nullable().optional(),
    inputSchema: Schema,
    annotations: ToolAnnotations.nullable().optional(),
  })
  .meta({ id: 'MCPTool' });
export type MCPTool = z.infer<typeof MCPTool>;

/** With `pretty=true`: as models see the tools. */
const PrettyTool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), description: z.string(), parameters: Schema }),
});
export const ListedTools = z.union([z.array(MCPTool), z.array(PrettyTool)]);
export type ListedTools = z.infer<typeof ListedTools>;

export const ToolsQuery = z.strictObject({
  page: queryInt().min(1).max(1000).default(1),
  page_size: queryInt().min(1).max(1000).default(100),
  refresh: queryBool().default(false),
  pretty: queryBool().default(false),
  credentials_name: CredentialsName.nullable().optional(),
});
export type ToolsQuery = z.infer<typeof ToolsQuery>;

export const CallToolQuery = z.strictObject({ credentials_name: CredentialsName.nullable().optional() });

export const ConnectorCallToolRequest = z
  .strictObject({ arguments: limitedObject({ keys: 1024, characters: 4 * 1024 * 1024 }).optional() })
  .meta({ id: 'ConnectorCallToolRequest' });
export type ConnectorCallToolRequest = z.infer<typeof ConnectorCallToolRequest>;

const Annotations = z
  .strictObject({
    audience: z
      .array(z.enum(['user', 'assistant']))
      .nullable()
      .optional(),
    priority: z.number().nullable().optional(),
  })
  .meta({ id: 'Annotations' });
const annotations = Annotations.nullable().optional();

const Content = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string(), annotations, _meta: Meta }).meta({ id: 'TextContent' }),
  z
    .strictObject({ type: z.literal('image'), data: z.string(), mimeType: z.string(), annotations, _meta: Meta })
    .meta({ id: 'ImageContent' }),
  z
    .strictObject({ type: z.literal('audio'), data: z.string(), mimeType: z.string(), annotations, _meta: Meta })
    .meta({ id: 'AudioContent' }),
  z
    .strictObject({
      type: z.literal('resource_link'),
      uri: z.string(),
      name: z.string(),
      title: z.string().nullable().optional(),
      description: z.string().nullable().optional(),
      mimeType: z.string().nullable().optional(),
      size: z.int().nullable().optional(),
      annotations,
      _meta: Meta,
    })
    .meta({ id: 'ResourceLink' }),
  z
    .strictObject({
      type: z.literal('resource'),
      resource: z.union([
        z
          .strictObject({ uri: z.string(), mimeType: z.string().nullable().optional(), _meta: Meta, text: z.string() })
          .meta({ id: 'TextResourceContents' }),
        z
          .strictObject({ uri: z.string(), mimeType: z.string().nullable().optional(), _meta: Meta, blob: z.string() })
          .meta({ id: 'BlobResourceContents' }),
      ]),
      annotations,
      _meta: Meta,
    })
    .meta({ id: 'EmbeddedResource' }),
]);
export type ResultContent = z.input<typeof Content>;

export const ConnectorToolCallResponse = z
  .strictObject({
    content: z.array(Content),
    metadata: z
      .strictObject({
        mcp_meta: z
          .strictObject({
            isError: z.boolean().default(false),
            structuredContent: z.record(z.string(), z.unknown()).nullable().optional(),
            _meta: Meta,
          })
          .meta({ id: 'ConnectorToolResultMetadata' })
          .nullable()
          .optional(),
      })
      .meta({ id: 'ConnectorToolCallMetadata' })
      .nullable()
      .optional(),
  })
  .meta({ id: 'ConnectorToolCallResponse' });
export type ConnectorToolCallResponse = z.input<typeof ConnectorToolCallResponse>;

const ToolVersion = z.strictObject({ description: z.string(), parameters: Schema });

/** A tool as it was trusted and as the server describes it now. */
export const ReviewedTool = z
  .strictObject({
    name: z.string(),
    status: z.enum(['trusted', 'held', 'gone']),
    /** Of the description and the schema that the server sends now. */
    digest: z.string().nullable(),
    trusted: ToolVersion.nullable(),
    current: ToolVersion.nullable(),
  })
  .meta({ id: 'ReviewedTool' });
export type ReviewedTool = z.infer<typeof ReviewedTool>;
export const ReviewedTools = z.strictObject({ tools: z.array(ReviewedTool) }).meta({ id: 'ReviewedTools' });
export type ReviewedTools = z.infer<typeof ReviewedTools>;

export const TrustToolRequest = z
  .strictObject({
    digest: z
      .string()
      .max(64)
      .regex(/^[0-9a-f]{64}$/, 'the digest is the one that the review shows'),
  })
  .meta({ id: 'TrustToolRequest' });
