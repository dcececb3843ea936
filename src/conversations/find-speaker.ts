import { type AgentService, readSkills } from '../agents/index.ts';
import { ApiError } from '../kit/http/index.ts';
import type { Viewer } from '../registry/index.ts';
import type { Speaker } from './schema/run.ts';

type Agents = Pick<AgentService, 'get'>;

/** An agent as the one who answers. */
export async function findSpeaker(
  agents: Agents,
  viewer: Viewer,
  id: string,
  version: string | number | null,
): Promise<Speaker> {
  const agent = await agents.get(viewer, id, version);
  return {
    agent: { id: agent.id, name: agent.name, version: agent.version },
    model: agent.model,
    instructions: agent.instructions ?? null,
    tools: agent.tools ?? [],
    completionArgs: agent.completion_args ?? { tool_choice: 'auto' },
    guardrails: agent.guardrails ?? null,
    variables: agent.metadata?.variables,
    handoffs: await findHandoffs(agents, viewer, agent.handoffs ?? []),
    skills: readSkills(agent.metadata),
  };
}

/** Agents that were deleted since can no longer be handed over to. */
async function findHandoffs(agents: Agents, viewer: Viewer, ids: readonly string[]): Promise<Speaker['handoffs']> {
  const found = await Promise.all(
    ids.map(async (id) => {
      try {
        const { name, description } = await agents.get(viewer, id);
        return [{ id, name, description: description ?? null }];
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return [];
        throw error;
      }
    }),
  );
  return found.flat();
}
