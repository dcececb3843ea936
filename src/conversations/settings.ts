import type { AgentTool } from '../chat/index.ts';
import { badRequest } from '../kit/http/index.ts';
import type { AnyConversation, ConversationRequest } from './schema/requests.ts';
import type { Settings } from './schema/settings.ts';
import type { ConversationRow } from './store/conversations.ts';

const HIDDEN = '********';

/** What a start asks for, after the rules that no schema can state. */
export function settingsOf(body: ConversationRequest): Settings {
  const common = {
    name: body.name ?? null,
    description: body.description ?? null,
    guardrails: body.guardrails ?? null,
  };
  const { model, agent_id } = body;
  if (model && agent_id) throw badRequest('Give model or agent_id, not both.');
  if (agent_id) {
    const own = (['instructions', 'tools'] as const).filter((field) => body[field]?.length);
    if (own.length > 0) throw badRequest(`With agent_id, ${own.join(' and ')} come from the agent. Leave them out.`);
    return { kind: 'agent', agent_id, agent_version: body.agent_version ?? null, ...common };
  }
  if (!model) throw badRequest('Give model or agent_id: one of the two is needed.');
  if (body.agent_version !== null && body.agent_version !== undefined)
    throw badRequest('agent_version needs agent_id.');
  return {
    kind: 'model',
    model,
    instructions: body.instructions ?? null,
    tools: body.tools ?? [],
    completion_args: body.completion_args ?? { tool_choice: 'auto' },
    ...common,
  };
}

export function wireOf({ id, created_at, updated_at, metadata, settings }: ConversationRow): AnyConversation {
  const { name, description } = settings;
  const common = { object: 'conversation' as const, id, created_at, updated_at, name, description, metadata };
  if (settings.kind === 'agent') {
    const { agent_id, agent_version } = settings;
    return { ...common, agent_id, agent_version };
  }
  const { model, instructions, tools, completion_args, guardrails } = settings;
  return { ...common, model, instructions, tools: tools.map(withoutSecret), completion_args, guardrails };
}

/** Whoever started the conversation knows the secret; no answer repeats it. */
function withoutSecret(tool: AgentTool): AgentTool {
  if (tool.type !== 'connector' || !tool.authorization) return tool;
  return { ...tool, authorization: { ...tool.authorization, value: HIDDEN } };
}
