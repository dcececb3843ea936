import type { Logger } from '../../kit/base/log.ts';
import type { Database } from '../../kit/db/index.ts';
import {
  type Attempt,
  type Client,
  isInvitationToken,
  type OpenedSession,
  type TenantService,
  tenantErrors,
} from '../../tenants/index.ts';
import { consoleErrors } from '../errors.ts';
import type { ConsoleLink, LinkUse, SignIn } from '../schema/session.ts';
import type { Providers } from '../sign-in/providers.ts';
import { rulesOf } from '../sign-in/settings.ts';
import { splitName } from '../split-name.ts';

const CODE_REQUIRED = 'Enter the code of your authenticator app, or a recovery code.';
const WRONG_CREDENTIALS =
  'The e-mail address or the password is wrong. If you have lost it, ask the operator for a link.';

export type SignInService = {
  signIn(given: SignIn, client: Client): Promise<OpenedSession>;
  openLink(token: string): Promise<ConsoleLink>;
  useLink(token: string, given: LinkUse, client: Client): Promise<OpenedSession>;
  /** Waits for pending audit entries. */
  stop(): Promise<void>;
};

export function createSignInService(deps: {
  database: Database;
  tenants: TenantService;
  providers: Providers;
  log: Logger;
}): SignInService {
  const { database, providers, log } = deps;
  const { sessions, links, invitations, throttle, devices, secondFactors, identities } = deps.tenants;
  const writing = new Set<Promise<void>>();

  async function listProvidersOf(organizationId: string) {
    const all = providers.list();
    const homes = await Promise.all(all.map(({ id }) => identities.findOrganization(rulesOf(providers.settings(id)))));
    return all.filter((_, index) => homes[index] === organizationId);
  }

  /** Written after the response: its timing must not reveal whether the account exists. */
  function recordFailure(user: { id: string; email: string }): void {
    const written = new Promise((resolve) => setImmediate(resolve))
      .then(() => database.transaction((tx) => sessions.record(tx, user, { event_type: 'user.log_in.failed' })))
      .catch((error: unknown) => log.error({ err: error }, 'A failed sign-in could not be written to the audit log.'))
      .finally(() => writing.delete(written));
    writing.add(written);
  }

  /** Only after the password was right: nothing here tells a stranger that there is an account. */
  async function checkCode(user: { id: string; email: string }, code: string | undefined, client: Client) {
    if (!(await secondFactors.find(user.id))) return;
    if (code === undefined)
      throw tenantErrors.second_factor_required(CODE_REQUIRED, {
        body: { detail: CODE_REQUIRED, code: 'second_factor_required' },
      });
    const device = await devices.recognise(user.email, client.deviceToken);
    if (await secondFactors.check(user, code, device)) return;
    recordFailure(user);
    throw tenantErrors.second_factor_wrong();
  }

  function openFor(
    user: { id: string; email: string },
    client: Client,
    by: 'password' | 'invitation',
    attempt?: Attempt,
  ): Promise<OpenedSession> {
    return database.transaction(async (tx) => {
      if (attempt) await throttle.giveBack(tx, attempt);
      const session = await sessions.open(tx, user, client);
      await sessions.record(tx, user, { event_type: 'user.log_in', event_metadata: { by } });
      return session;
    });
  }

  return {
    async signIn({ email, password, code }, client) {
      const device = await devices.recognise(email, client.deviceToken);
      const attempt = { email, address: client.address, device };
      await throttle.take(attempt);
      const { user, isRight } = await sessions.identify(email, password);
      if (user && isRight) {
        await checkCode(user, code, client);
        return openFor(user, client, 'password', attempt);
      }
      if (user) recordFailure(user);
      // The same response for an unknown address and for a wrong password.
      throw consoleErrors.wrong_credentials(WRONG_CREDENTIALS, { body: { detail: WRONG_CREDENTIALS } });
    },
    async openLink(token) {
      if (!isInvitationToken(token)) {
        const { purpose, email, name, organization, expires_at, account } = await links.open(token);
        const known = organization ? { id: organization.id, name: organization.name } : null;
        const has_account = account !== undefined || purpose === 'password_reset';
        const shown = { email, name, organization: known, has_account, providers: [], expires_at };
        return { purpose: account ? 'invitation' : purpose, ...shown };
      }
      const { email, organization_id, organization_name, hasAccount, expires_at } = await invitations.open(token);
      const organization = { id: organization_id, name: organization_name };
      const accepting = hasAccount ? [] : await listProvidersOf(organization_id);
      const shown = { email, name: null, organization, has_account: hasAccount, providers: accepting, expires_at };
      return { purpose: 'invitation', ...shown };
    },
    async useLink(token, { password, name, code }, client) {
      const [first_name, last_name] = name === undefined ? [] : splitName(name);
      if (!isInvitationToken(token)) {
        const { user_id, email, account } = await links.open(token);
        await checkCode(account ?? { id: user_id, email }, code, client);
        return links.use(token, { password, first_name, last_name }, client);
      }
      const { email, hasAccount } = await invitations.open(token);
      if (!hasAccount && first_name === undefined) throw consoleErrors.name_required();
      const acceptance = { password, first_name: first_name ?? '', last_name: last_name ?? '' };
      const account = hasAccount ? await sessions.findAccount(email) : undefined;
      if (account) await checkCode(account, code, client);
      const { user_id } = await invitations.accept(token, acceptance);
      return openFor({ id: user_id, email }, client, 'invitation');
    },
    stop: async () => void (await Promise.all(writing)),
  };
}
