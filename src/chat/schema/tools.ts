import { z } from 'zod';
import { limitJson } from '../../kit/http/index.ts';
import {
  LONG_DESCRIPTION_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  STORED_CHARACTERS_MAX,
  TOOL_NAMES_MAX,
  TOOLS_MAX,
} from './limits.ts';
import { ToolTypes } from './messages.ts';

const name = z.string().max(NAME_CHARACTERS_MAX);
const names = z.array(name).max(TOOL_NAMES_MAX).nullable().optional();

const FunctionDefinition = z
  .strictObject({
    name,
    description: z.string().max(LONG_DESCRIPTION_CHARACTERS_MAX).default(''),
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
    library_ids: z.array(name).min(1).max(TOOL_NAMES_MAX),
  })
  .meta({ id: 'DocumentLibraryTool' });

/** Tokens that carry claims are long. */
const secret = z.string().max(16_384);

const OAuth2TokenAuth = z
  .strictObject({ type: z.enum(['oauth2-token']).default('oauth2-token'), value: secret })
  .meta({ id: 'OAuth2TokenAuth' });

const APIKeyAuth = z
  .strictObject({ type: z.enum(['api-key']).default('api-key'), value: secret })
  .meta({ id: 'APIKeyAuth' });

const CustomConnector = z
  .strictObject({
    type: z.enum(['connector']).default('connector'),
    connector_id: name,
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

export const AgentTools = z.array(AgentTool).max(TOOLS_MAX).check(limitJson(STORED_CHARACTERS_MAX));

const FunctionName = z.strictObject({ name }).meta({ id: 'FunctionName' });

export const ToolChoice = z
  .strictObject({ type: ToolTypes.default('function'), function: FunctionName })
  .meta({ id: 'ToolChoice' });

export const ToolChoiceEnum = z.enum(['auto', 'none', 'any', 'required']).meta({ id: 'ToolChoiceEnum' });
