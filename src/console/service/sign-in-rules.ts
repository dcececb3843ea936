import type { Scope } from '../../kit/http/index.ts';
import { callerOf, type TenantService, tenantErrors } from '../../tenants/index.ts';
import type { SignInRules } from '../schema/account.ts';
import type { Providers } from '../sign-in/providers.ts';

/** What an organization asks of the sign-ins of its members. */
export function createSignInRules({ tenants, providers }: { tenants: TenantService; providers: Providers }) {
  async function get({ organization_id }: Scope) {
    const { secondFactor, provider } = await tenants.signInRules(organization_id);
    return { second_factor: secondFactor, provider, providers: providers.list() };
  }
  return {
    get,
    async set(scope: Scope, { second_factor, provider }: SignInRules) {
      if (provider !== null) providers.settings(provider);
      const own = scope.sign_in;
      const isMet =
        (provider === null || own?.provider === provider) &&
        (!second_factor || own?.has_second_factor || Boolean(own?.provider));
      if (!isMet) throw tenantErrors.sign_in_rule_unmet();
      await tenants.setSignInRules(callerOf(scope), { secondFactor: second_factor, provider });
      return get(scope);
    },
  };
}
