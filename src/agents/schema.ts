import { z } from 'zod';
import {
  AgentTool,
  AgentTools,
  ChatCompletionRequest,
  CompletionArgs,
  DESCRIPTION_CHARACTERS_MAX,
  GUARDRAILS_MAX,
  GuardrailConfig,
  INSTRUCTIONS_CHARACTERS_MAX,
  MODEL_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
} from '../chat/index.ts';
import {
  limitedObject,
  limitedText,
  limitUnion,
  queryBool,
  queryInt,
  queryJsonObject,
  queryList,
} from '../kit/http/index.ts';
import { AliasName } from '../registry/index.ts';

const INT32_MAX = 2_147_483_647;
const HANDOFFS_MAX = 128;
const text = z.string().nullable().optional();

/** Shown in every list. */
const METADATA_KEYS_MAX = 100;
const METADATA_CHARACTERS_MAX = 64 * 1024;

export const MetadataDict = limitedObject({ keys: METADATA_KEYS_MAX, characters: METADATA_CHARACTERS_MAX }).meta({
  id: 'MetadataDict',
});
const RequestSource = z.enum(['api', 'playground', 'agent_builder_v1']).meta({ id: 'RequestSource' });

const guardrails = z.array(GuardrailConfig);
const completion_args = CompletionArgs.optional();
const metadata = MetadataDict.nullable().optional();

/** Agents from before the limits are shown as they are. */
const shown = {
  instructions: text,
  tools: z.array(AgentTool).optional(),
  completion_args,
  guardrails: guardrails.nullable().optional(),
  description: text,
  handoffs: z.array(z.string()).min(1).nullable().optional(),
  metadata,
};
const changeable = {
  instructions: z.string().max(INSTRUCTIONS_CHARACTERS_MAX).nullable().optional(),
  tools: AgentTools.optional(),
  completion_args,
  guardrails: guardrails.max(GUARDRAILS_MAX).nullable().optional(),
  description: z.string().max(DESCRIPTION_CHARACTERS_MAX).nullable().optional(),
  handoffs: z.array(z.string().max(NAME_CHARACTERS_MAX)).min(1).max(HANDOFFS_MAX).nullable().optional(),
  metadata,
};
const model = z.string().min(1).max(MODEL_CHARACTERS_MAX);
const version_message = z.string().max(500).nullable().optional();

export const CreateAgentRequest = z
  .strictObject({ ...changeable, model, name: z.string().min(1).max(255), version_message })
  .meta({ id: 'CreateAgentRequest' });
export type CreateAgentRequest = z.infer<typeof CreateAgentRequest>;

export const UpdateAgentRequest = z
  .strictObject({
    ...changeable,
    model: model.nullable().optional(),
    name: z.string().min(1).max(255).nullable().optional(),
    deployment_chat: z.boolean().nullable().optional(),
    version_message,
  })
  .meta({ id: 'UpdateAgentRequest' });
export type UpdateAgentRequest = z.infer<typeof UpdateAgentRequest>;

export const Agent = z
  .strictObject({
    ...shown,
    model: z.string(),
    name: z.string(),
    object: z.literal('agent').default('agent'),
    id: z.string(),
    version: z.int(),
    versions: z.array(z.int()),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    deployment_chat: z.boolean(),
    source: z.string(),
    version_message: text,
  })
  .meta({ id: 'Agent' });
export type Agent = z.output<typeof Agent>;

/** One version of an agent; never changed once stored. */
export type AgentDefinition = {
  model: string;
  name: string;
  description: string | null;
  instructions: string | null;
  tools: AgentTool[];
  completion_args: CompletionArgs;
  guardrails: z.infer<typeof GuardrailConfig>[] | null;
  handoffs: string[] | null;
  metadata: Record<string, unknown> | null;
  version_message: string | null;
  /** Unique, so an update back to an earlier definition is a new version too. */
  change_id: string;
};

/** A version number, or an alias. */
export const AgentVersion = limitUnion(z.union([z.int().min(0).max(INT32_MAX), limitedText(NAME_CHARACTERS_MAX)]), {
  characters: NAME_CHARACTERS_MAX,
});
const VersionNumber = queryInt().min(0).max(INT32_MAX);

export const AgentParams = z.strictObject({ agent_id: z.string() });
export const AgentVersionParams = z.strictObject({ agent_id: z.string(), version: z.string() });
export const AgentQuery = z.strictObject({ agent_version: z.union([VersionNumber, z.string()]).optional() });
export const SwitchVersionQuery = z.strictObject({ version: VersionNumber });
export const SetAliasQuery = z.strictObject({ alias: AliasName, version: VersionNumber });
export const AliasQuery = z.strictObject({ alias: AliasName });

const filters = {
  deployment_chat: queryBool().optional(),
  sources: queryList(RequestSource).optional(),
  name: z.string().optional(),
  search: z.string().optional(),
  id: z.string().optional(),
  metadata: queryJsonObject().optional(),
};
const page_size = queryInt().min(1).max(1000).default(20);

export const AgentsQuery = z.strictObject({
  page: queryInt().min(0).max(1_000_000_000).default(0),
  page_size,
  ...filters,
});
export type AgentsQuery = z.infer<typeof AgentsQuery>;
export const AgentPagesQuery = z.strictObject({ page_size, page_token: z.string().optional(), ...filters });
export type AgentPagesQuery = z.infer<typeof AgentPagesQuery>;
export type AgentFilters = Omit<AgentPagesQuery, 'page_size' | 'page_token'>;

export const VersionsQuery = z.strictObject({
  page: queryInt().min(0).max(1_000_000_000).default(0),
  page_size: queryInt().min(1).max(100).default(20),
});
export type VersionsQuery = z.infer<typeof VersionsQuery>;

export const AgentListPage = z
  .strictObject({
    object: z.literal('list').default('list'),
    data: z.array(Agent),
    next_page_token: z.string().nullable().optional(),
  })
  .meta({ id: 'AgentListPage' });

export const AgentAliasResponse = z
  .strictObject({
    alias: z.string(),
    version: z.int(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'AgentAliasResponse' });
export type AgentAliasResponse = z.infer<typeof AgentAliasResponse>;

/** Model, sampling and safe_prompt come from the agent. */
export const AgentsCompletionRequest = ChatCompletionRequest.omit({
  model: true,
  temperature: true,
  top_p: true,
  safe_prompt: true,
})
  .extend({ agent_id: z.string().max(NAME_CHARACTERS_MAX) })
  .meta({ id: 'AgentsCompletionRequest' });
export type AgentsCompletionRequest = z.infer<typeof AgentsCompletionRequest>;
