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
  trusts_email: boolean;
  organization?: string | undefined;
  groups_claim: string;
  groups: readonly { claim: string; group: string }[];
  /** How old the provider's word about a session may be when it is used. */
  recheck_seconds: number;
};

const UNUSED_MS = 60_000;

/** How often the provider is asked about a session that nobody uses. */
export function unusedMsOf({ recheck_seconds }: ProviderSettings): number {
  return Math.max(UNUSED_MS, recheck_seconds * 1000);
}

export function rulesOf({ id, domains, trusts_email, organization, groups }: ProviderSettings): ProviderRules {
  return { id, domains, trustsEmail: trusts_email, organization, groups };
}
