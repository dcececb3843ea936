import { z } from 'zod';
import { ToolTypes } from './messages.ts';

const names = z.array(z.string()).nullable().optional();

const FunctionDefinition = z
  .strictObject({
    name: z.string(),
    description: z.string().default(''),
    strict: z.boolean().default(false),
    parameters: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Function' });

export const Tool = z
  .strictObject({ type: ToolTypes.optional().default('function'), function: FunctionDefinition })
  .meta({ id: 'Tool' });
export type Tool = z.infer<typeof Tool>;

const ToolConfiguration = z
  .strictObject({ exclude: names, include: names, requires_confirmation: names })
  .meta({ id: 'ToolConfiguration' });

const tool_configuration = ToolConfiguration.nullable().optional();

function builtInTool<const Type extends string>(type: Type, id: string) {
  return z.strictObject({ tool_configuration, type: z.enum([type]).default(type as never) }).meta({ id });
}

const WebSearchTool = builtInTool('web_search', 'WebSearchTool');
const WebSearchPremiumTool = builtInTool('web_search_premium', 'WebSearchPremiumTool');
const CodeInterpreterTool = builtInTool('code_interpreter', 'CodeInterpreterTool');
const ImageGenerationTool = builtInTool('image_generation', 'ImageGenerationTool');

const DocumentLibraryTool = z
  .strictObject({
    tool_configuration,
    type: z.enum(['document_library']).default('document_library'),
    library_ids: z.array(z.string()).min(1),
  })
  .meta({ id: 'DocumentLibraryTool' });

const OAuth2TokenAuth = z
  .strictObject({ type: z.enum(['oauth2-token']).default('oauth2-token'), value: z.string() })
  .meta({ id: 'OAuth2TokenAuth' });

const APIKeyAuth = z
  .strictObject({ type: z.enum(['api-key']).default('api-key'), value: z.string() })
  .meta({ id: 'APIKeyAuth' });

const CustomConnector = z
  .strictObject({
    type: z.enum(['connector']).default('connector'),
    connector_id: z.string(),
    authorization: z.discriminatedUnion('type', [OAuth2TokenAuth, APIKeyAuth]).nullable().optional(),
    tool_configuration,
  })
  .meta({ id: 'CustomConnector' });

const onServer = [
  WebSearchTool,
  WebSearchPremiumTool,
  CodeInterpreterTool,
  ImageGenerationTool,
  DocumentLibraryTool,
  CustomConnector,
] as const;

export const AnyTool = z.discriminatedUnion('type', [Tool, ...onServer]);
export type AnyTool = z.infer<typeof AnyTool>;

const FunctionTool = z
  .strictObject({ type: z.enum(['function']).default('function'), function: FunctionDefinition })
  .meta({ id: 'FunctionTool' });

/** In agents and conversations, where the server runs tools. */
export const AgentTool = z.discriminatedUnion('type', [FunctionTool, ...onServer]);
export type AgentTool = z.infer<typeof AgentTool>;

const FunctionName = z.strictObject({ name: z.string() }).meta({ id: 'FunctionName' });

export const ToolChoice = z
  .strictObject({ type: ToolTypes.default('function'), function: FunctionName })
  .meta({ id: 'ToolChoice' });

export const ToolChoiceEnum = z.enum(['auto', 'none', 'any', 'required']).meta({ id: 'ToolChoiceEnum' });
