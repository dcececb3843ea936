import type { Platform } from '../compose/open-platform.ts';
import type { Config } from '../config/config.ts';
import { systemClock } from '../kit/base/clock.ts';
import { createLog } from '../kit/base/log.ts';
import { createMetering, type LimitDefaults, type LimitScope, type Limits, type Metering } from '../metering/index.ts';
import { type KeySummary, OPERATOR } from '../tenants/index.ts';

export const MICROS = 1_000_000;

/** Each by id or name. The narrowest one is meant; a wider one says where to look for it. */
export type ScopeWords = {
  key?: string | undefined;
  workspace?: string | undefined;
  organization?: string | undefined;
};

type NamedScope = LimitScope & { name: string; organization_id: string; workspace_id: string | null };

/** What holds for a scope, where that comes from, and what it has spent since the month began. */
export type ScopeLimits = {
  scope: LimitScope['kind'];
  id: string;
  name: string;
  requests_per_second: number | null;
  tokens_per_minute: number | null;
  monthly_budget: number | null;
  spent: number;
  from: 'own' | 'file';
};

/** The file's `limits` in the terms of metering. */
export function limitDefaults({ file }: Config): LimitDefaults {
  const defaultsOf = ({ monthly_budget, ...rates }: Config['file']['limits']['key']): Partial<Limits> => ({
    ...(rates.requests_per_second !== undefined && { requests_per_second: rates.requests_per_second }),
    ...(rates.tokens_per_minute !== undefined && { tokens_per_minute: rates.tokens_per_minute }),
    ...(monthly_budget !== undefined && { monthly_budget_micros: Math.round(monthly_budget * MICROS) }),
  });
  const { key, workspace, organization } = file.limits;
  return { key: defaultsOf(key), workspace: defaultsOf(workspace), organization: defaultsOf(organization) };
}

/** Metering for the operator's commands, which read and change but neither admit nor record. */
export function openOperatorMetering({ database, audit }: Platform, config: Config): Metering {
  const log = createLog(config.logLevel);
  return createMetering({ database, audit, now: systemClock, log, defaults: limitDefaults(config) });
}

/** What holds for the scope and for those around it, since a request must pass all; without words, every own limit. */
export async function showLimits(platform: Platform, config: Config, words: ScopeWords): Promise<ScopeLimits[]> {
  const metering = openOperatorMetering(platform, config);
  const own = await metering.listOwnLimits(platform.database.db);
  const isOwn = ({ kind, id }: LimitScope) => own.some((row) => row.kind === kind && row.id === id);
  const found = await findScopes(platform, words);
  const scopes = found.length > 0 ? found : (await listScopes(platform)).filter(isOwn);
  return Promise.all(
    scopes.map(async (scope): Promise<ScopeLimits> => {
      const { monthly_budget_micros, ...rates } = await metering.getLimits(platform.database.db, scope);
      return {
        scope: scope.kind,
        id: scope.id,
        name: scope.name,
        ...rates,
        monthly_budget: monthly_budget_micros === null ? null : monthly_budget_micros / MICROS,
        spent: (await metering.spent(platform.database.db, scope)) / MICROS,
        from: isOwn(scope) ? 'own' : 'file',
      };
    }),
  );
}

/** What the change does not name stays as it is, also where that came from the file. */
export async function setLimits(
  platform: Platform,
  config: Config,
  words: ScopeWords,
  limits: Partial<Limits>,
): Promise<void> {
  const change = { ...(await changeOf(platform, words)), limits };
  await platform.database.transaction((tx) => openOperatorMetering(platform, config).setLimits(tx, change));
}

/** False when the scope had no limits of its own. */
export async function clearLimits(platform: Platform, config: Config, words: ScopeWords): Promise<boolean> {
  const removal = await changeOf(platform, words);
  return platform.database.transaction((tx) => openOperatorMetering(platform, config).clearLimits(tx, removal));
}

async function changeOf(platform: Platform, words: ScopeWords) {
  const [scope] = await findScopes(platform, words);
  if (!scope) throw new Error('A change of limits needs a scope.');
  const { kind, id, organization_id, workspace_id } = scope;
  return { scope: { kind, id }, organization_id, workspace_id, actor: OPERATOR };
}

/** The one that is meant, then those around it; nothing when there are no words. */
async function findScopes({ tenants }: Platform, words: ScopeWords): Promise<NamedScope[]> {
  const { key, workspace, organization } = words;
  if (key !== undefined) {
    const within = organization === undefined ? undefined : (await tenants.chooseOrganization(organization)).id;
    const found = await tenants.keys.choose(key, within);
    const { organization_id, workspace_id } = found;
    return [
      keyScope(found),
      workspaceScope({ id: workspace_id ?? '', name: found.workspace_name ?? '', organization_id }),
      organizationScope({ id: organization_id, name: found.organization_name }),
    ];
  }
  if (workspace !== undefined) {
    const found = await tenants.chooseWorkspace({ organization, workspace });
    return [workspaceScope(found), organizationScope(await tenants.chooseOrganization(found.organization_id))];
  }
  return organization === undefined ? [] : [organizationScope(await tenants.chooseOrganization(organization))];
}

async function listScopes({ tenants }: Platform): Promise<NamedScope[]> {
  const organizations = await tenants.listOrganizations();
  const scopes = organizations.map(async (organization) => [
    organizationScope(organization),
    ...(await tenants.listWorkspaces(organization.id)).map(workspaceScope),
    ...(await tenants.keys.list(organization.id)).map(keyScope),
  ]);
  return (await Promise.all(scopes)).flat();
}

function organizationScope({ id, name }: { id: string; name: string }): NamedScope {
  return { kind: 'organization', id, name, organization_id: id, workspace_id: null };
}

function workspaceScope({
  id,
  name,
  organization_id,
}: Pick<NamedScope, 'id' | 'name' | 'organization_id'>): NamedScope {
  return { kind: 'workspace', id, name, organization_id, workspace_id: id };
}

function keyScope({ id, name, hint, organization_id, workspace_id }: KeySummary): NamedScope {
  return { kind: 'key', id, name: name ?? `…${hint}`, organization_id, workspace_id };
}
