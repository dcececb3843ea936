import { ChatCompletionRequest } from '../chat/index.ts';
import { badRequest } from '../kit/http/index.ts';
import { readSkills } from './read-skills.ts';
import type { AgentDefinition, AgentsCompletionRequest } from './schema.ts';

/** A chat completion as the agent would have it: its instructions first, its tools beside the request's own. */
export function toCompletion(
  agent: AgentDefinition,
  body: Omit<AgentsCompletionRequest, 'agent_id'>,
): ChatCompletionRequest {
  if (readSkills(agent.metadata).length > 0)
    throw badRequest(
      'An agent with skills works in conversations only, where the server loads them. Use /v1/conversations.',
    );
  // An agent may have a top_p of 0, a chat completion may not.
  const { tool_choice, top_p, ...sampling } = agent.completion_args;
  const tools = [...agent.tools, ...(body.tools ?? [])];
  const completion = ChatCompletionRequest.parse({
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
