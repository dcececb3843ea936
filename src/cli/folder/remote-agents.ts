import type { ApiClient } from '../shell/api-client.ts';
import type { AgentDefinition } from './agent-file.ts';

export type RemoteAgent = AgentDefinition & { id: string; version: number; versions: number[]; created_at: string };
export type AgentAlias = { alias: string; version: number };

/** The agents of the workspace, sorted by name, then by age. */
export async function listAgents(api: ApiClient): Promise<RemoteAgent[]> {
  const agents: RemoteAgent[] = [];
  let token = '';
  do {
    const query = token === '' ? '' : `&page_token=${encodeURIComponent(token)}`;
    const page = await api.get<{ data: RemoteAgent[]; next_page_token: string | null }>(
      `/v1/agents/pages?page_size=100${query}`,
    );
    agents.push(...page.data);
    token = page.next_page_token ?? '';
  } while (token !== '');
  return agents.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

function keyOf({ name, created_at, id }: RemoteAgent): string {
  return JSON.stringify([name, created_at, id]);
}

export function listAliases(api: ApiClient, id: string): Promise<AgentAlias[]> {
  return api.get<AgentAlias[]>(`/v1/agents/${id}/aliases`);
}

export function readVersion(api: ApiClient, id: string, version: number): Promise<RemoteAgent> {
  return api.get<RemoteAgent>(`/v1/agents/${id}/versions/${version}`);
}
