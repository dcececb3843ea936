import { isDeepStrictEqual } from 'node:util';
import { CommandFailure } from '../../operator/command-failure.ts';
import type { ApiClient } from '../shell/api-client.ts';
import { type AgentDefinition, type AgentVersion, type LocalAgent, normalize } from './agent-file.ts';
import type { Imported } from './import-object.ts';
import { listAgents, listAliases, type RemoteAgent, readVersion } from './remote-agents.ts';

type Target = { local: LocalAgent; remote: RemoteAgent | undefined };

/**
 * Creates or updates agents, matched by name; agents that share a name are matched in order.
 * New agents are created first, so that handoffs between them can be resolved.
 */
export async function importAgents(
  api: ApiClient,
  locals: readonly LocalAgent[],
  { dryRun }: { dryRun: boolean },
): Promise<{ imported: Imported[]; failures: string[] }> {
  const remotes = await listAgents(api);
  const targets = match(locals, remotes);
  const ids = new Map(targets.flatMap(({ local, remote }) => (remote ? [[local.label, remote.id] as const] : [])));
  const imported: Imported[] = [];
  const failures: string[] = [];
  const isNew = new Set<Target>();

  async function attempt(target: Target, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      failures.push(`${target.local.source}: ${error.message}`);
    }
  }

  for (const target of targets.filter(({ remote }) => !remote)) {
    isNew.add(target);
    const [first = target.local.file] = [...(target.local.file.versions ?? []), target.local.file];
    const { handoffs: _later, ...body } = definitionOf(first);
    if (dryRun) ids.set(target.local.label, target.local.label);
    else
      await attempt(target, async () => {
        target.remote = (await api.send<RemoteAgent>('POST', '/v1/agents', body)).data;
        ids.set(target.local.label, target.remote.id);
      });
  }

  for (const target of targets) {
    const { local, remote } = target;
    const versions = [...(local.file.versions ?? []), local.file];
    if (!remote) {
      if (dryRun) imported.push(toImported(local, 'created', versions.length));
      continue;
    }
    await attempt(target, async () => {
      const changes = await updateAgent(
        api,
        remote,
        versions.map((version) => withIds(version, ids, local)),
        dryRun,
      );
      const outcome = isNew.has(target) ? 'created' : changes.isChanged ? 'updated' : 'unchanged';
      imported.push(toImported(local, outcome, isNew.has(target) ? versions.length : changes.newVersions));
    });
  }
  return { imported, failures };
}

function match(locals: readonly LocalAgent[], remotes: readonly RemoteAgent[]): Target[] {
  const unused = [...remotes];
  return locals.map((local) => {
    const at = unused.findIndex(({ name }) => name === local.file.name);
    return { local, remote: at < 0 ? undefined : unused.splice(at, 1)[0] };
  });
}

/** Creates missing versions, sets aliases and makes the last version current. */
async function updateAgent(api: ApiClient, remote: RemoteAgent, versions: AgentVersion[], dryRun: boolean) {
  const path = `/v1/agents/${remote.id}`;
  const known = await Promise.all(remote.versions.map((version) => readVersion(api, remote.id, version)));
  const aliases = new Map((await listAliases(api, remote.id)).map(({ alias, version }) => [alias, version]));
  let newVersions = 0;
  let isChanged = false;
  let current = remote.version;
  for (const version of versions) {
    const wanted = definitionOf(version);
    const same = known.findLast((one) => isDeepStrictEqual(definitionOf(one), wanted));
    let number = same?.version;
    if (number === undefined) {
      newVersions++;
      number = dryRun ? -newVersions : (await api.send<RemoteAgent>('PATCH', path, withDefaults(wanted))).data.version;
      current = number;
    }
    for (const alias of version.aliases ?? [])
      if (aliases.get(alias) !== number) {
        isChanged = true;
        if (!dryRun) await api.fetch(`${path}/aliases?alias=${alias}&version=${number}`, { method: 'PUT' });
      }
    if (version === versions.at(-1) && number !== current) {
      isChanged = true;
      if (!dryRun) await api.fetch(`${path}/version?version=${number}`, { method: 'PATCH' });
    }
  }
  return { newVersions, isChanged: isChanged || newVersions > 0 };
}

function definitionOf(version: AgentVersion): AgentDefinition {
  const { aliases: _aliases, ...definition } = normalize(version);
  return definition;
}

/** Resets unset fields, which the server would keep from the previous version. */
function withDefaults(definition: AgentDefinition): AgentDefinition {
  const none = { description: null, instructions: null, guardrails: null, handoffs: null, metadata: null };
  return { ...none, tools: [], completion_args: {}, ...definition };
}

function withIds(version: AgentVersion, ids: ReadonlyMap<string, string>, { source }: LocalAgent): AgentVersion {
  if (!version.handoffs) return version;
  const handoffs = version.handoffs.map((label) => {
    const id = ids.get(label);
    if (id === undefined)
      throw new CommandFailure(`${source}: handoffs refers to '${label}', which is not in the folder.`);
    return id;
  });
  return { ...version, handoffs };
}

function toImported({ file }: LocalAgent, outcome: Imported['outcome'], newVersions: number): Imported {
  return { noun: 'agent', name: file.name, sharing: 'workspace', outcome, newVersions, warnings: [] };
}
