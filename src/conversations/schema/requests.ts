import { z } from 'zod';
import { AgentVersion, MetadataDict } from '../../agents/index.ts';
import {
  AgentTool,
  AgentTools,
  CALL_ID_CHARACTERS_MAX,
  CompletionArgs,
  DESCRIPTION_CHARACTERS_MAX,
  GUARDRAILS_MAX,
  GuardrailConfig,
  INSTRUCTIONS_CHARACTERS_MAX,
  MODEL_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  TOOL_NAMES_MAX,
} from '../../chat/index.ts';
import { queryInt, queryJsonObject, queryList } from '../../kit/http/index.ts';
import { ConversationInputs } from './entries.ts';

const HandoffExecution = z.enum(['client', 'server']);

const guardrails = z.array(GuardrailConfig).max(GUARDRAILS_MAX).nullable().optional();
const metadata = MetadataDict.nullable().optional();
const TITLE_CHARACTERS_MAX = 1000;
const text = (charactersMax: number) => z.string().max(charactersMax).nullable().optional();
const shownText = z.string().nullable().optional();

export const ConversationRequest = z
  .strictObject({
    inputs: ConversationInputs,
    stream: z.boolean().nullable().default(null),
    store: z.boolean().nullable().default(null),
    handoff_execution: HandoffExecution.nullable().default(null),
    instructions: text(INSTRUCTIONS_CHARACTERS_MAX),
    tools: AgentTools.nullable().optional(),
    completion_args: CompletionArgs.nullable().optional(),
    guardrails,
    name: text(TITLE_CHARACTERS_MAX),
    description: text(DESCRIPTION_CHARACTERS_MAX),
    metadata,
    agent_id: text(NAME_CHARACTERS_MAX),
    agent_version: AgentVersion.nullable().optional(),
    model: text(MODEL_CHARACTERS_MAX),
  })
  .meta({ id: 'ConversationRequest' });
export type ConversationRequest = z.infer<typeof ConversationRequest>;

const ToolCallConfirmation = z
  .strictObject({ tool_call_id: z.string().max(CALL_ID_CHARACTERS_MAX), confirmation: z.enum(['allow', 'deny']) })
  .meta({ id: 'ToolCallConfirmation' });
export type ToolCallConfirmation = z.infer<typeof ToolCallConfirmation>;

const continuation = {
  inputs: ConversationInputs.optional(),
  stream: z.boolean().default(false),
  store: z.boolean().default(true),
  handoff_execution: HandoffExecution.default('server'),
  completion_args: CompletionArgs.optional(),
};

export const ConversationAppendRequest = z
  .strictObject({
    ...continuation,
    tool_confirmations: z.array(ToolCallConfirmation).max(TOOL_NAMES_MAX).nullable().optional(),
  })
  .meta({ id: 'ConversationAppendRequest' });
export type ConversationAppendRequest = z.infer<typeof ConversationAppendRequest>;

export const ConversationRestartRequest = z
  .strictObject({
    ...continuation,
    guardrails,
    metadata,
    from_entry_id: z.string().max(NAME_CHARACTERS_MAX),
    agent_version: AgentVersion.nullable().optional(),
  })
  .meta({ id: 'ConversationRestartRequest' });
export type ConversationRestartRequest = z.infer<typeof ConversationRestartRequest>;

export const ConversationParams = z.strictObject({ conversation_id: z.string() });

const TITLES_MAX = 100;
export const TitlesQuery = z.strictObject({ id: queryList(z.string().min(1).max(255)).max(TITLES_MAX) });

export const ConversationsQuery = z.strictObject({
  page: queryInt().min(0).max(1_000_000_000).default(0),
  page_size: queryInt().min(1).max(1000).default(100),
  metadata: queryJsonObject().optional(),
});
export type ConversationsQuery = z.infer<typeof ConversationsQuery>;

const conversation = {
  object: z.literal('conversation').default('conversation'),
  id: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  name: shownText,
  description: shownText,
  metadata,
};

export const ModelConversation = z
  .strictObject({
    ...conversation,
    instructions: shownText,
    tools: z.array(AgentTool).optional(),
    completion_args: CompletionArgs.optional(),
    guardrails,
    model: z.string(),
  })
  .meta({ id: 'ModelConversation' });

export const AgentConversation = z
  .strictObject({ ...conversation, agent_id: z.string(), agent_version: AgentVersion.nullable().optional() })
  .meta({ id: 'AgentConversation' });

export const AnyConversation = z.union([ModelConversation, AgentConversation]);
export type AnyConversation = z.input<typeof AnyConversation>;
