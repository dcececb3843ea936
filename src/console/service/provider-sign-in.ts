import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import { ApiError, type Scope } from '../../kit/http/index.ts';
import type { SecretBox } from '../../kit/secrets/index.ts';
import { type Client, type OpenedSession, type TenantService, tenantErrors } from '../../tenants/index.ts';
import { consoleErrors } from '../errors.ts';
import { type PendingSignIn, readPending } from '../sign-in/pending-cookie.ts';
import type { Granted } from '../sign-in/provider-client.ts';
import type { Providers } from '../sign-in/providers.ts';
import { rulesOf, unusedMsOf } from '../sign-in/settings.ts';

export type StartedSignIn = { url: string; pending: Omit<PendingSignIn, 'expiresAtMs'> };
type Callback = { provider: string; query: string; headers: Parameters<typeof readPending>[1] };
type FinishedSignIn = { to: string; session?: OpenedSession | undefined };
/** Why a sign-in failed, for the address of the sign-in page; the words are there. */
export type SignInProblem = 'expired' | 'refused' | 'not_joined' | 'taken' | 'no_organization' | 'too_many';

export function createProviderSignIn(deps: {
  tenants: TenantService;
  providers: Providers;
  box: SecretBox;
  now: Clock;
  log: Logger;
}) {
  const { tenants, providers, box, now, log } = deps;
  const { identities, providerSessions } = tenants;

  async function start(
    provider: string,
    base: string,
    more: Pick<PendingSignIn, 'to' | 'join'>,
  ): Promise<StartedSignIn> {
    providers.settings(provider);
    const client = await providers.client(provider);
    const redirectUrl = `${base}/console/api/sign-in/${provider}/callback`;
    const { url, pending } = await client.begin(redirectUrl);
    return { url, pending: { ...pending, provider, redirectUrl, ...more } };
  }

  /** Anything that is wrong with the answer of the provider ends here; which check failed is in the log alone. */
  async function exchange(pending: PendingSignIn, query: string): Promise<Granted | undefined> {
    const callback = new URL(pending.redirectUrl);
    callback.search = query;
    try {
      return await (await providers.client(pending.provider)).finish(callback, pending);
    } catch (error) {
      log.warn({ err: error, provider: pending.provider }, 'a sign-in with a provider was refused');
      return undefined;
    }
  }

  return {
    start: (provider: string, base: string, to: string) => start(provider, base, { to }),
    startJoin: (provider: string, base: string, { user_id, identity, session_id = '' }: Scope) =>
      start(provider, base, { to: '/account', join: { user_id, email: identity.email ?? '', session_id } }),
    /** Where the browser goes, and the session it then has. */
    async finish({ provider, query, headers }: Callback, client: Client): Promise<FinishedSignIn> {
      const settings = providers.settings(provider);
      const pending = readPending(box, headers, provider, now());
      if (!pending) return { to: problemPage('/sign-in', 'expired') };
      const page = pending.join ? '/account' : '/sign-in';
      if (!(await tenants.throttle.takeCallback(client.address))) return { to: problemPage(page, 'too_many') };
      const granted = await exchange(pending, query);
      if (!granted) return { to: problemPage(page, 'refused') };
      const { claims, sid, tokens } = granted;
      const rules = rulesOf(settings);
      try {
        if (pending.join) {
          const { user_id: id, email, session_id } = pending.join;
          if (!(await tenants.sessions.isOpen(session_id, id))) return { to: problemPage('/sign-in', 'expired') };
          await identities.join({ id, email }, rules, claims);
          await tenants.throttle.giveCallbackBack(client.address);
          return { to: pending.to };
        }
        const user = await identities.admit(rules, claims);
        const signIn = { provider, subject: claims.subject, sid, tokens, recheckMs: unusedMsOf(settings) };
        const session = await providerSessions.open(user, signIn, client);
        await tenants.throttle.giveCallbackBack(client.address);
        return { to: pending.to, session };
      } catch (error) {
        if (isError(error, tenantErrors.identity_unknown(provider))) return { to: problemPage(page, 'not_joined') };
        if (isError(error, tenantErrors.identity_taken(provider))) return { to: problemPage(page, 'taken') };
        throw error;
      }
    },
    /** Where the browser signs out at the provider too, if there is such a place. */
    async signOutUrl({ session_id = '' }: Scope, base: string): Promise<string | null> {
      const found = await providerSessions.find(session_id);
      if (!found || !providers.find(found.provider)) return null;
      // A provider that cannot be reached must not keep somebody signed in here.
      const client = await providers.client(found.provider).catch(() => undefined);
      return client?.signOutUrl(found.tokens?.id_token, `${base}/console/sign-in`) ?? null;
    },
    async endByProvider(provider: string, token: string): Promise<undefined> {
      providers.settings(provider);
      const client = await providers.client(provider);
      const which = await client.readLogout(token).catch((error: unknown) => {
        log.warn({ err: error, provider }, 'a logout token was refused');
        throw consoleErrors.logout_token_invalid();
      });
      if (await providerSessions.endOfSubject(provider, which)) return;
      log.warn({ provider }, 'a logout token came a second time');
      throw consoleErrors.logout_token_invalid();
    },
  };
}

export function problemPage(page: string, problem: SignInProblem): string {
  return `${page}?problem=${problem}`;
}

function isError(error: unknown, row: ApiError): boolean {
  return error instanceof ApiError && error.code === row.code;
}
