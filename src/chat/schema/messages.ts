import { z } from 'zod';
import { Content, SystemMessageContentChunks } from './content.ts';
import { CALL_ID_CHARACTERS_MAX, NAME_CHARACTERS_MAX, TOOL_NAMES_MAX } from './limits.ts';

export const ToolTypes = z.enum(['function']).meta({ id: 'ToolTypes' });

const FunctionCall = z
  .strictObject({
    name: z.string().max(NAME_CHARACTERS_MAX),
    arguments: z.union([z.record(z.string(), z.unknown()), z.string()]),
  })
  .meta({ id: 'FunctionCall' });

export const ToolCall = z
  .strictObject({
    id: z.string().max(CALL_ID_CHARACTERS_MAX).default('null'),
    type: ToolTypes.default('function'),
    function: FunctionCall,
    index: z.int().default(0),
  })
  .meta({ id: 'ToolCall' });
export type ToolCall = z.infer<typeof ToolCall>;

const SystemMessage = z
  .strictObject({
    role: z.literal('system').default('system'),
    content: z.union([z.string(), z.array(SystemMessageContentChunks)]),
  })
  .meta({ id: 'SystemMessage' });

const UserMessage = z
  .strictObject({ role: z.literal('user').default('user'), content: Content })
  .meta({ id: 'UserMessage' });

export const AssistantMessage = z
  .strictObject({
    role: z.literal('assistant').default('assistant'),
    content: Content.optional(),
    tool_calls: z.array(ToolCall).max(TOOL_NAMES_MAX).nullable().optional(),
    prefix: z.boolean().default(false),
  })
  .meta({ id: 'AssistantMessage' });

// Optional in the published schema, but required by the specification's rule 2 of errors.
const ToolMessage = z
  .strictObject({
    role: z.literal('tool').default('tool'),
    content: Content,
    tool_call_id: z.string().max(CALL_ID_CHARACTERS_MAX),
    name: z.string().max(NAME_CHARACTERS_MAX).nullable().optional(),
  })
  .meta({ id: 'ToolMessage' });

export const Message = z.discriminatedUnion('role', [SystemMessage, UserMessage, AssistantMessage, ToolMessage]);
export type Message = z.infer<typeof Message>;
