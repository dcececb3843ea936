import { refuseExpensiveSchemas } from '../chat/index.ts';
import { uuid } from '../kit/base/ids.ts';
import { agentErrors } from './errors.ts';
import { readSkills } from './read-skills.ts';
import type { AgentDefinition, CreateAgentRequest, UpdateAgentRequest } from './schema.ts';

export function createDefinition(request: CreateAgentRequest): AgentDefinition {
  return validate({
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

/** Fields that are left out stay; null clears a field that may be empty. */
export function updateDefinition(current: AgentDefinition, request: UpdateAgentRequest): AgentDefinition {
  const { deployment_chat: _deployment, model, name, version_message, ...rest } = request;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return validate({
    ...current,
    ...given,
    model: model ?? current.model,
    name: name ?? current.name,
    version_message: version_message ?? null,
    change_id: uuid(),
  });
}

function validate(definition: AgentDefinition): AgentDefinition {
  if (definition.tools.some((tool) => tool.type === 'connector' && tool.authorization))
    throw agentErrors.agent_credentials_refused();
  readSkills(definition.metadata);
  const format = definition.completion_args?.response_format;
  refuseExpensiveSchemas(definition.tools, [{ format, at: ['body', 'completion_args', 'response_format'] }]);
  return definition;
}
