import { z } from 'zod';
import {
  BuiltInConnectors,
  CALL_ID_CHARACTERS_MAX,
  DocumentURLChunk,
  ImageURLChunk,
  MODEL_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  TextChunk,
  ThinkChunk,
  ToolFileChunk,
  ToolReferenceChunk,
} from '../../chat/index.ts';
import { limitedText, limitUnion } from '../../kit/http/index.ts';

const TIME_CHARACTERS_MAX = 64;

const input = [TextChunk, ImageURLChunk, ToolFileChunk, DocumentURLChunk, ThinkChunk] as const;

const MessageInputContentChunks = z
  .array(z.discriminatedUnion('type', input))
  .meta({ id: 'MessageInputContentChunks' });

export const OutputContentChunks = z
  .discriminatedUnion('type', [...input, ToolReferenceChunk])
  .meta({ id: 'OutputContentChunks' });
export type OutputContentChunk = z.infer<typeof OutputContentChunks>;

const MessageOutputContentChunks = z
  .array(z.discriminatedUnion('type', [...input, ToolReferenceChunk]))
  .meta({ id: 'MessageOutputContentChunks' });

export const ToolName = limitUnion(z.union([BuiltInConnectors, limitedText(NAME_CHARACTERS_MAX)]), {
  characters: NAME_CHARACTERS_MAX,
});
export const ToolExecutionInfo = z.record(z.string(), z.unknown()).meta({ id: 'ToolExecutionInfo' });
export const ConfirmationStatus = z.enum(['pending', 'allowed', 'denied']);

// With any offset or none: the SDKs write times without one, which the format date-time would refuse.
const isoTime = z.iso.datetime({ offset: true, local: true });
const time = z
  .string()
  .max(TIME_CHARACTERS_MAX)
  .refine((text) => isoTime.safeParse(text).success, { error: 'a time is written like 2026-01-31T12:00:00Z' })
  .meta({ pattern: isoTime.def.pattern?.source });
const name = z.string().max(NAME_CHARACTERS_MAX);
const callId = z.string().max(CALL_ID_CHARACTERS_MAX);
const author = {
  agent_id: name.nullable().optional(),
  model: z.string().max(MODEL_CHARACTERS_MAX).nullable().optional(),
};
const common = {
  object: z.literal('entry').default('entry'),
  created_at: time.optional(),
  completed_at: time.nullable().optional(),
  id: name.optional(),
};

export const MessageInputEntry = z
  .strictObject({
    ...common,
    type: z.literal('message.input').default('message.input'),
    role: z.enum(['assistant', 'user']),
    content: z.union([z.string(), MessageInputContentChunks]),
    prefix: z.boolean().default(false),
  })
  .meta({ id: 'MessageInputEntry' });

export const MessageOutputEntry = z
  .strictObject({
    ...common,
    ...author,
    type: z.literal('message.output').default('message.output'),
    role: z.literal('assistant').default('assistant'),
    content: z.union([z.string(), MessageOutputContentChunks]),
  })
  .meta({ id: 'MessageOutputEntry' });

const FunctionCallEntryArguments = z
  .union([z.record(z.string(), z.unknown()), z.string()])
  .meta({ id: 'FunctionCallEntryArguments' });

export const FunctionCallEntry = z
  .strictObject({
    ...common,
    ...author,
    type: z.literal('function.call').default('function.call'),
    tool_call_id: callId,
    name,
    arguments: FunctionCallEntryArguments,
    confirmation_status: ConfirmationStatus.nullable().optional(),
  })
  .meta({ id: 'FunctionCallEntry' });

export const FunctionResultEntry = z
  .strictObject({
    ...common,
    type: z.literal('function.result').default('function.result'),
    tool_call_id: callId,
    result: z.string(),
  })
  .meta({ id: 'FunctionResultEntry' });

export const ToolExecutionEntry = z
  .strictObject({
    ...common,
    ...author,
    type: z.literal('tool.execution').default('tool.execution'),
    name: ToolName,
    arguments: z.string(),
    info: ToolExecutionInfo.optional(),
  })
  .meta({ id: 'ToolExecutionEntry' });

export const AgentHandoffEntry = z
  .strictObject({
    ...common,
    type: z.literal('agent.handoff').default('agent.handoff'),
    previous_agent_id: name,
    previous_agent_name: name,
    next_agent_id: name,
    next_agent_name: name,
  })
  .meta({ id: 'AgentHandoffEntry' });

export const AnyEntry = z.preprocess(
  addDefaultType,
  z.discriminatedUnion('type', [
    MessageInputEntry,
    MessageOutputEntry,
    FunctionResultEntry,
    FunctionCallEntry,
    ToolExecutionEntry,
    AgentHandoffEntry,
  ]),
);

/** An entry without a type is a message. The union cannot choose it, since every kind has a default type. */
function addDefaultType(entry: unknown): unknown {
  const isUntyped = typeof entry === 'object' && entry !== null && !Array.isArray(entry) && !('type' in entry);
  return isUntyped ? { type: 'message.input', ...entry } : entry;
}

/** An entry as the client sends it. */
export type InputEntry = z.infer<typeof AnyEntry>;
export type Entry = InputEntry & { id: string; created_at: string };
export type MessageEntry = EntryOf<'message.input'> | EntryOf<'message.output'>;
export type EntryOf<Type extends Entry['type']> = Extract<Entry, { type: Type }>;

/** What a later turn needs and the wire has no field for. */
export type Memo = {
  /** The tool call behind a tool.execution, and the result that the model was given. */
  call?: { id: string; name: string; result: string };
  /** Entries with the same number come from one reply of the model. */
  turn?: number;
  /** Files and sources for the next message. */
  chunks?: OutputContentChunk[];
};

export type StoredEntry = { entry: Entry; memo: Memo | null };

export const ConversationInputs = z
  .union([z.string(), z.array(AnyEntry).meta({ id: 'InputEntries' })])
  .meta({ id: 'ConversationInputs' });
export type ConversationInputs = z.infer<typeof ConversationInputs>;
