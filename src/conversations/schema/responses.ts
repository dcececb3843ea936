import { z } from 'zod';
import { typedObject } from '../../chat/index.ts';
import {
  AgentHandoffEntry,
  AnyEntry,
  ConfirmationStatus,
  FunctionCallEntry,
  MessageInputEntry,
  MessageOutputEntry,
  OutputContentChunks,
  ToolExecutionEntry,
  ToolExecutionInfo,
  ToolName,
} from './entries.ts';

export const ConversationUsageInfo = z
  .strictObject({
    prompt_tokens: z.int().default(0),
    completion_tokens: z.int().default(0),
    total_tokens: z.int().default(0),
    connector_tokens: z.int().nullable().default(null),
    connectors: z.record(z.string(), z.int()).nullable().default(null),
  })
  .meta({ id: 'ConversationUsageInfo' });
export type ConversationUsageInfo = z.output<typeof ConversationUsageInfo>;

export const ConversationResponse = z
  .strictObject({
    object: z.literal('conversation.response').default('conversation.response'),
    conversation_id: z.string(),
    outputs: z.array(
      z.discriminatedUnion('type', [MessageOutputEntry, ToolExecutionEntry, FunctionCallEntry, AgentHandoffEntry]),
    ),
    usage: ConversationUsageInfo,
    guardrails: z.array(z.record(z.string(), z.unknown())).nullable().default(null),
  })
  .meta({ id: 'ConversationResponse' });
export type ConversationResponse = z.input<typeof ConversationResponse>;

export const ConversationHistory = z
  .strictObject({
    object: z.literal('conversation.history').default('conversation.history'),
    conversation_id: z.string(),
    entries: z.array(AnyEntry),
  })
  .meta({ id: 'ConversationHistory' });

export const ConversationMessages = z
  .strictObject({
    object: z.literal('conversation.messages').default('conversation.messages'),
    conversation_id: z.string(),
    messages: z
      .array(z.discriminatedUnion('type', [MessageInputEntry, MessageOutputEntry]))
      .meta({ id: 'MessageEntries' }),
  })
  .meta({ id: 'ConversationMessages' });

const ConversationBranch = z.strictObject({
  conversation_id: z.string(),
  name: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  entries: z.int(),
  /** How many entries both have in common, from the first on. */
  shared_entries: z.int(),
});

/** For the console; not part of the public API. */
export const ConversationTitles = z.strictObject({ titles: z.record(z.string(), z.string()) });
export type ConversationTitles = z.infer<typeof ConversationTitles>;

export const ConversationBranches = z.strictObject({ branches: z.array(ConversationBranch) });
export type ConversationBranches = z.infer<typeof ConversationBranches>;

const created_at = z.iso.datetime().optional();
const position = { created_at, output_index: z.int().default(0), id: z.string() };
const author = { model: z.string().nullable().default(null), agent_id: z.string().nullable().default(null) };

const ResponseStartedEvent = typedObject('conversation.response.started', 'ResponseStartedEvent', {
  created_at,
  conversation_id: z.string(),
});

const ResponseDoneEvent = typedObject('conversation.response.done', 'ResponseDoneEvent', {
  created_at,
  usage: ConversationUsageInfo,
});

const ResponseErrorEvent = typedObject('conversation.response.error', 'ResponseErrorEvent', {
  created_at,
  message: z.string(),
  code: z.int(),
});

const MessageOutputEvent = typedObject('message.output.delta', 'MessageOutputEvent', {
  ...position,
  content_index: z.int().default(0),
  ...author,
  role: z.literal('assistant').default('assistant'),
  content: z.union([z.string(), OutputContentChunks]),
});

const ToolExecutionStartedEvent = typedObject('tool.execution.started', 'ToolExecutionStartedEvent', {
  ...position,
  ...author,
  name: ToolName,
  arguments: z.string(),
});

const ToolExecutionDeltaEvent = typedObject('tool.execution.delta', 'ToolExecutionDeltaEvent', {
  ...position,
  name: ToolName,
  arguments: z.string(),
});

const ToolExecutionDoneEvent = typedObject('tool.execution.done', 'ToolExecutionDoneEvent', {
  ...position,
  name: ToolName,
  info: ToolExecutionInfo.optional(),
});

const FunctionCallEvent = typedObject('function.call.delta', 'FunctionCallEvent', {
  ...position,
  ...author,
  name: z.string(),
  tool_call_id: z.string(),
  arguments: z.string(),
  confirmation_status: ConfirmationStatus.nullable().default(null),
});

const AgentHandoffStartedEvent = typedObject('agent.handoff.started', 'AgentHandoffStartedEvent', {
  ...position,
  previous_agent_id: z.string(),
  previous_agent_name: z.string(),
});

const AgentHandoffDoneEvent = typedObject('agent.handoff.done', 'AgentHandoffDoneEvent', {
  ...position,
  next_agent_id: z.string(),
  next_agent_name: z.string(),
});

export const StreamEvent = z.discriminatedUnion('type', [
  ResponseStartedEvent,
  ResponseDoneEvent,
  ResponseErrorEvent,
  ToolExecutionStartedEvent,
  ToolExecutionDeltaEvent,
  ToolExecutionDoneEvent,
  MessageOutputEvent,
  FunctionCallEvent,
  AgentHandoffStartedEvent,
  AgentHandoffDoneEvent,
]);
export type StreamEvent = z.output<typeof StreamEvent>;
/** An event that belongs to one output of the run. */
export type OutputEvent = Extract<StreamEvent, { output_index: number }>;

const SSETypes = z
  .enum([
    'conversation.response.started',
    'conversation.response.done',
    'conversation.response.error',
    'message.output.delta',
    'tool.execution.started',
    'tool.execution.delta',
    'tool.execution.done',
    'agent.handoff.started',
    'agent.handoff.done',
    'function.call.delta',
  ])
  .meta({ id: 'SSETypes' });

export const ConversationEvents = z.object({ event: SSETypes, data: StreamEvent }).meta({ id: 'ConversationEvents' });
