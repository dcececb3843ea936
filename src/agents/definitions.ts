import { uuid } from '../kit/base/ids.ts';
import { badRequest } from '../kit/http/index.ts';
import { readSkills } from './read-skills.ts';
import type { AgentDefinition, CreateAgentRequest, UpdateAgentRequest } from './schema.ts';

export function createdFrom(request: CreateAgentRequest): AgentDefinition {
  return checked({
    model: request.model,
    name: request.name,
    description: request.description ?? null,
    instructions: request.instructions ?? null,
    tools: request.tools ?? [],
    completion_args: request.completion_args ?? { tool_choice: 'auto' },
    guardrails: request.guardrails ?? null,
    handoffs: request.handoffs ?? null,
    metadata: request.metadata ?? null,
    version_message: request.version_message ?? null,
    change_id: uuid(),
  });
}

/** What is left out stays; null clears what may be empty. */
export function updatedFrom(current: AgentDefinition, request: UpdateAgentRequest): AgentDefinition {
  const { deployment_chat: _deployment, model, name, version_message, ...rest } = request;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return checked({
    ...current,
    ...given,
    model: model ?? current.model,
    name: name ?? current.name,
    version_message: version_message ?? null,
    change_id: uuid(),
  });
}

function checked(definition: AgentDefinition): AgentDefinition {
  if (definition.tools.some(({ type }) => type === 'document_library'))
    throw badRequest('The tool document_library is not available: this server has no libraries. Leave it out.');
  if (definition.tools.some((tool) => tool.type === 'connector' && tool.authorization))
    throw badRequest(
      'An agent is for its whole workspace and keeps no credentials. Give authorization when you start a conversation, or let the operator set headers for the connector.',
    );
  readSkills(definition.metadata);
  return definition;
}
