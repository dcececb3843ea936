import type { WhoamiResponse } from './schema.ts';
import type { Scope } from './scope.ts';

/** The tier of the public API; it has a letter for enterprises only. */
const TIERS: Record<Scope['plan'], string | null> = { free: null, team: null, enterprise: 'E' };

export function describeCaller({ identity, plan, service_account }: Scope): WhoamiResponse {
  const { id, email, first_name, last_name, organization, workspace } = identity;
  return {
    principal:
      service_account === undefined
        ? { principal_type: 'user', id, email, first_name, last_name }
        : { principal_type: 'service_account', service_account_id: id, name: service_account },
    organization: organization ? { ...organization, org_tier: TIERS[plan], internal: false, kind: 'S' } : null,
    workspace: workspace ?? null,
  };
}
