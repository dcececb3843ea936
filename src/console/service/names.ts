import type { Scope } from '../../kit/http/index.ts';
import type { TenantService } from '../../tenants/index.ts';
import type { ConsoleNames } from '../schema/names.ts';

export type NamePorts = {
  tenants: Pick<TenantService, 'names'>;
  agents: { namesOf(scope: Scope, ids: readonly string[]): Promise<{ id: string; name: string }[]> };
};

/** The names of people, keys, workspaces and agents, for lists of the API that have ids only. */
export function createNames({ tenants, agents }: NamePorts) {
  return async (scope: Scope, given: readonly string[]): Promise<ConsoleNames> => {
    // No id holds a NUL, and PostgreSQL refuses text with one.
    const ids = [...new Set(given)].filter((id) => !id.includes('\0'));
    const agentIds = scope.permissions.has('agents:read') ? ids.filter((id) => id.startsWith('ag_')) : [];
    const [known, named] = await Promise.all([tenants.names(scope, ids), agents.namesOf(scope, agentIds)]);
    return {
      names: Object.fromEntries([
        ...known.map(({ id, ...rest }) => [id, rest] as const),
        ...named.map(({ id, name }) => [id, { kind: 'agent' as const, name, has_ended: false }] as const),
      ]),
    };
  };
}
