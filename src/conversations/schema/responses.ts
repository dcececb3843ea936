import { z } from 'zod';
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
export const ConversationBranches = z.strictObject({ branches: z.array(ConversationBranch) });
export type ConversationBranches = z.infer<typeof ConversationBranches>;

const created_at = z.iso.datetime().optional();
const place = { created_at, output_index: z.int().default(0), id: z.string() };
const author = { model: z.string().nullable().default(null), agent_id: z.string().nullable().default(null) };

const ResponseStartedEvent = z
  .strictObject({
    type: z.literal('conversation.response.started').default('conversation.response.started'),
    created_at,
    conversation_id: z.string(),
  })
  .meta({ id: 'ResponseStartedEvent' });

const ResponseDoneEvent = z
  .strictObject({
    type: z.literal('conversation.response.done').default('conversation.response.done'),
    created_at,
    usage: ConversationUsageInfo,
  })
  .meta({ id: 'ResponseDoneEvent' });

const ResponseErrorEvent = z
  .strictObject({
    type: z.literal('conversation.response.error').default('conversation.response.error'),
    created_at,
    message: z.string(),
    code: z.int(),
  })
  .meta({ id: 'ResponseErrorEvent' });

const MessageOutputEvent = z
  .strictObject({
    type: z.literal('message.output.delta').default('message.output.delta'),
    ...place,
    content_index: z.int().default(0),
    ...author,
    role: z.literal('assistant').default('assistant'),
    content: z.union([z.string(), OutputContentChunks]),
  })
  .meta({ id: 'MessageOutputEvent' });

const ToolExecutionStartedEvent = z
  .strictObject({
    type: z.literal('tool.execution.started').default('tool.execution.started'),
    ...place,
    ...author,
    name: ToolName,
    arguments: z.string(),
  })
  .meta({ id: 'ToolExecutionStartedEvent' });

const ToolExecutionDeltaEvent = z
  .strictObject({
    type: z.literal('tool.execution.delta').default('tool.execution.delta'),
    ...place,
    name: ToolName,
    arguments: z.string(),
  })
  .meta({ id: 'ToolExecutionDeltaEvent' });

const ToolExecutionDoneEvent = z
  .strictObject({
    type: z.literal('tool.execution.done').default('tool.execution.done'),
    ...place,
    name: ToolName,
    info: ToolExecutionInfo.optional(),
  })
  .meta({ id: 'ToolExecutionDoneEvent' });

const FunctionCallEvent = z
  .strictObject({
    type: z.literal('function.call.delta').default('function.call.delta'),
    ...place,
    ...author,
    name: z.string(),
    tool_call_id: z.string(),
    arguments: z.string(),
    confirmation_status: ConfirmationStatus.nullable().default(null),
  })
  .meta({ id: 'FunctionCallEvent' });

const AgentHandoffStartedEvent = z
  .strictObject({
    type: z.literal('agent.handoff.started').default('agent.handoff.started'),
    ...place,
    previous_agent_id: z.string(),
    previous_agent_name: z.string(),
  })
  .meta({ id: 'AgentHandoffStartedEvent' });

const AgentHandoffDoneEvent = z
  .strictObject({
    type: z.literal('agent.handoff.done').default('agent.handoff.done'),
    ...place,
    next_agent_id: z.string(),
    next_agent_name: z.string(),
  })
  .meta({ id: 'AgentHandoffDoneEvent' });

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
