import type { Scope } from '../../kit/http/index.ts';
import { type Client, type TenantService, tenantErrors } from '../../tenants/index.ts';
import type { ConsoleAccount, OwnerProof, PasswordChange, ProfileChange } from '../schema/account.ts';
import type { Providers } from '../sign-in/providers.ts';
import { splitName } from '../split-name.ts';

/** What the signed-in user does with their own account. */
export function createAccountService({ tenants, providers }: { tenants: TenantService; providers: Providers }) {
  const { sessions, passwords, secondFactors, devices, identities } = tenants;

  /** A stolen session alone must not change how its owner signs in. */
  async function prove(scope: Scope, { password, code }: OwnerProof, client: Client) {
    const user = await passwords.verify(scope, password, client);
    if (!(await secondFactors.find(user.id))) return user;
    const device = await devices.recognise(user.email, client.deviceToken);
    if (code === undefined || !(await secondFactors.check(user, code, device)))
      throw tenantErrors.second_factor_wrong();
    return user;
  }

  return {
    prove,
    async describe({ user_id, identity }: Scope): Promise<ConsoleAccount> {
      const user = await sessions.findAccount(identity.email ?? '');
      const joined = await identities.list(user_id);
      const names = new Map(providers.list().map(({ id, name }) => [id, name]));
      return {
        has_password: Boolean(user?.password_hash),
        second_factor: (await secondFactors.find(user_id)) ?? null,
        identities: joined.map(({ provider, created_at }) => ({
          provider,
          name: names.get(provider) ?? provider,
          created_at,
        })),
        providers: providers.list(),
      };
    },
    async changeProfile(scope: Scope, { name }: ProfileChange): Promise<undefined> {
      const [first, last] = splitName(name);
      await tenants.profiles.rename(scope, { first, last });
    },
    sessions: async (scope: Scope) => ({ sessions: await sessions.list(scope) }),
    async endSession(scope: Scope, id: string): Promise<undefined> {
      await sessions.endOne(scope, id);
    },
    changePassword: (scope: Scope, { password, new_password }: PasswordChange, client: Client) =>
      passwords.change(scope, { password, newPassword: new_password }, client),
    async beginSecondFactor(scope: Scope, proof: OwnerProof, client: Client) {
      return secondFactors.begin(await passwords.verify(scope, proof.password, client));
    },
    async confirmSecondFactor({ user_id, identity, session_id }: Scope, code: string) {
      const user = { id: user_id, email: identity.email ?? '' };
      return { recovery_codes: await secondFactors.confirm(user, code, session_id ?? '') };
    },
    async renewRecoveryCodes(scope: Scope, proof: OwnerProof, client: Client) {
      const user = await prove(scope, proof, client);
      if (!(await secondFactors.find(user.id))) throw tenantErrors.second_factor_missing();
      return { recovery_codes: await secondFactors.renewRecoveryCodes(user) };
    },
    async removeSecondFactor(scope: Scope, proof: OwnerProof, client: Client): Promise<undefined> {
      await secondFactors.remove(await prove(scope, proof, client));
    },
    async leaveProvider({ user_id, identity }: Scope, provider: string): Promise<undefined> {
      await identities.leave({ id: user_id, email: identity.email ?? '' }, provider);
    },
  };
}

export type AccountService = ReturnType<typeof createAccountService>;
