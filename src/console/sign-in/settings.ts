import type { ProviderRules } from '../../tenants/index.ts';

/** A provider as the operator configured it. */
export type ProviderSettings = {
  id: string;
  name: string;
  issuer: string;
  client_id: string;
  client_secret?: string | undefined;
  scopes: readonly string[];
  domains: readonly string[];
  organization?: string | undefined;
  groups_claim: string;
  groups: readonly { claim: string; group: string }[];
  recheck_seconds: number;
};

export function rulesOf({ id, domains, organization, groups }: ProviderSettings): ProviderRules {
  return { id, domains, organization, groups };
}
