import type { ApiClient } from '../shell/api-client.ts';
import { type AgentVersion, agentFileName, agentFileText } from './agent-file.ts';
import { createLabels } from './label-objects.ts';
import { listAgents, listAliases, type RemoteAgent, readVersion } from './remote-agents.ts';
import { writeFiles } from './safe-files.ts';

/** Writes the current version of every agent, and the versions with an alias. */
export async function exportAgents(
  api: ApiClient,
  root: string,
  onProgress: (name: string) => void,
): Promise<{ name: string; versions: number }[]> {
  const agents = await listAgents(api);
  const labelFor = createLabels();
  const labels = new Map(agents.map(({ id, name }) => [id, labelFor(fileName(name))]));
  // Handoffs to deleted agents are dropped.
  const withLabels = ({ handoffs, ...agent }: RemoteAgent): AgentVersion => ({
    ...agent,
    handoffs: (handoffs ?? []).flatMap((id) => labels.get(id) ?? []),
  });
  const exported: { name: string; versions: number }[] = [];
  for (const agent of agents) {
    const aliases = await listAliases(api, agent.id);
    const of = (version: number) => aliases.filter((one) => one.version === version).map(({ alias }) => alias);
    const others = [...new Set(aliases.map(({ version }) => version))].filter((version) => version !== agent.version);
    const versions: AgentVersion[] = [];
    for (const version of others.sort((one, other) => one - other))
      versions.push({ ...withLabels(await readVersion(api, agent.id, version)), aliases: of(version) });
    const text = agentFileText({ ...withLabels(agent), aliases: of(agent.version), versions });
    const name = agentFileName(labels.get(agent.id) ?? agent.id);
    await writeFiles(root, new Map([[name, { bytes: Buffer.from(text), isExecutable: false }]]));
    exported.push({ name: agent.name, versions: versions.length + 1 });
    onProgress(agent.name);
  }
  return exported;
}

/** A valid file name; the name inside the file is the one that counts. */
function fileName(name: string): string {
  return (
    name
      .replace(/[^\p{L}\p{N}._-]+/gu, '-')
      .replace(/^[.-]+|[.-]+$/g, '')
      .slice(0, 80) || 'agent'
  );
}
