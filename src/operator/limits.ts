import { limitDefaults } from '../compose/limit-defaults.ts';
import type { Platform } from '../compose/open-platform.ts';
import type { Config } from '../config/config.ts';
import { systemClock } from '../kit/base/clock.ts';
import { createLog } from '../kit/base/log.ts';
import {
  createMetering,
  describeLimits,
  keyScope,
  type Limits,
  limitScopeKinds,
  listLimitScopes,
  type Metering,
  type NamedScope,
  organizationScope,
  type ScopeLimits,
  workspaceScope,
} from '../metering/index.ts';
import { OPERATOR } from '../tenants/index.ts';

export type { ScopeLimits } from '../metering/index.ts';

/** Each by id or name. The narrowest one is meant; the wider ones say where to look for it. */
export type ScopeSelector = {
  key?: string | undefined;
  workspace?: string | undefined;
  organization?: string | undefined;
};

/** Metering for the operator's commands, which read and change limits but neither admit nor record requests. */
export function createOperatorMetering({ database, audit }: Platform, config: Config): Metering {
  const log = createLog(config.logLevel);
  return createMetering({ database, audit, now: systemClock, log, defaults: limitDefaults(config) });
}

/** The selected scope and the scopes around it; without a selector, all scopes with limits of their own. */
export async function showLimits(platform: Platform, config: Config, selector: ScopeSelector): Promise<ScopeLimits[]> {
  const { database, tenants } = platform;
  const metering = createOperatorMetering(platform, config);
  const selected = await findScopes(platform, selector);
  if (selected.length > 0) return describeLimits(metering, database.db, selected, { measures: true });
  const organizations = await tenants.listOrganizations();
  const all = await Promise.all(organizations.map((organization) => listLimitScopes(tenants, organization)));
  return describeLimits(metering, database.db, all.flat(), { ownOnly: limitScopeKinds });
}

/** Limits that the change does not name keep their value, even where it came from the configuration file. */
export async function setLimits(
  platform: Platform,
  config: Config,
  selector: ScopeSelector,
  limits: Partial<Limits>,
): Promise<void> {
  const change = { ...(await describeTarget(platform, selector)), limits };
  await platform.database.transaction((tx) => createOperatorMetering(platform, config).setLimits(tx, change));
}

/** False when the scope had no limits of its own. */
export async function clearLimits(platform: Platform, config: Config, selector: ScopeSelector): Promise<boolean> {
  const removal = await describeTarget(platform, selector);
  return platform.database.transaction((tx) => createOperatorMetering(platform, config).clearLimits(tx, removal));
}

async function describeTarget(platform: Platform, selector: ScopeSelector) {
  const [scope] = await findScopes(platform, selector);
  if (!scope) throw new Error('A change of limits needs a scope.');
  const { kind, id, organization_id, workspace_id } = scope;
  return { scope: { kind, id }, organization_id, workspace_id, actor: OPERATOR };
}

/** The selected scope first, then the scopes around it; none without a selector. */
async function findScopes({ tenants }: Platform, selector: ScopeSelector): Promise<NamedScope[]> {
  const { key, workspace, organization } = selector;
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
