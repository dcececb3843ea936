import { ChatCompletionRequest } from '../chat/index.ts';
import { parseStored } from '../kit/http/index.ts';
import { agentErrors } from './errors.ts';
import { readSkills } from './read-skills.ts';
import type { AgentDefinition, AgentsCompletionRequest } from './schema.ts';

/** Puts the agent's instructions before the request's messages, and its tools before the request's tools. */
export function toCompletion(
  agent: AgentDefinition,
  body: Omit<AgentsCompletionRequest, 'agent_id'>,
): ChatCompletionRequest {
  if (readSkills(agent.metadata).length > 0) throw agentErrors.agent_skills_unsupported();
  // The schema of a chat completion refuses a top_p of 0, which an agent may have.
  const { tool_choice, top_p, ...sampling } = agent.completion_args;
  const tools = [...agent.tools, ...(body.tools ?? [])];
  const completion = parseStored(ChatCompletionRequest, {
    ...withoutNull(sampling),
    ...withoutNull(body),
    model: agent.model,
    messages: agent.instructions ? [{ role: 'system', content: agent.instructions }, ...body.messages] : body.messages,
    ...(tools.length > 0 ? { tools } : {}),
    tool_choice: body.tool_choice === 'auto' ? tool_choice : body.tool_choice,
    guardrails: body.guardrails ?? agent.guardrails,
  });
  return { ...completion, ...withoutNull({ top_p }) };
}

function withoutNull(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));
}
