import { ask } from '../serve/ask.ts';
import { maskAnswer } from './mask.ts';
import { MODEL, missingLike, type World, type Worlds } from './worlds.ts';

/** An agent stores references unchecked, so access to a foreign object shows only when the agent runs. */
export async function judgeAgents({ server, owner }: Worlds, asker: World): Promise<{ asked: number; told: string[] }> {
  const told: string[] = [];
  let asked = 0;
  const headers = { authorization: `Bearer ${asker.key}` };
  const post = (path: string, body: unknown) => ask(server.url, { method: 'POST', path, headers, body });

  async function speak(agent: Record<string, unknown>) {
    const made = await post('/v1/agents', { model: MODEL, name: 'x', ...agent });
    asked += 2;
    const { id } = JSON.parse(made.text) as { id?: string };
    return post('/v1/conversations', { agent_id: id, inputs: 'x' });
  }
  const references: [name: string, id: string | undefined, agent: (id: string) => Record<string, unknown>][] = [
    ['model', owner.ids.model, (model) => ({ model })],
    ['prompt as a model', owner.ids.promptModel, (model) => ({ model })],
    ['skill', owner.ids.skillReference, (skill) => ({ metadata: { skills: [skill] } })],
    ['connector', owner.ids.connector, (connector_id) => ({ tools: [{ type: 'connector', connector_id }] })],
  ];
  for (const [name, theirs = '', agentOf] of references) {
    if (asker.workspaceId === owner.workspaceId && ['model', 'connector'].includes(name)) continue;
    const missingId = missingLike(theirs);
    const [foreign, missing] = [await speak(agentOf(theirs)), await speak(agentOf(missingId))];
    const [shown, expected] = [maskAnswer(foreign, theirs), maskAnswer(missing, missingId)];
    if (shown !== expected || foreign.status < 400)
      told.push(`${asker.name}: ${name}: ${shown} instead of ${expected}`);
  }
  return { asked, told };
}
