import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import { ApiError, type RequestContext, type Scope } from '../../kit/http/index.ts';
import type { SecretBox } from '../../kit/secrets/index.ts';
import type { Client, OpenedSession, TenantService, tenantErrors } from '../../tenants/index.ts';
import { consoleErrors } from '../errors.ts';
import { type PendingSignIn, pendingCookie } from '../sign-in/pending-cookie.ts';
import type { Granted } from '../sign-in/provider-client.ts';
import type { Providers } from '../sign-in/providers.ts';
import { rulesOf, unusedMsOf } from '../sign-in/settings.ts';

export type StartedSignIn = { url: string; pending: PendingSignIn };
type Callback = { provider: string; query: string; headers: RequestContext['headers'] };
/** A sign-in that no account is joined to, with the address that the provider gave. */
export type UnjoinedSignIn = { provider: string; subject: string; email: string };
type FinishedSignIn = { to: string; session?: OpenedSession; unjoined?: UnjoinedSignIn | undefined };

/** Why a sign-in failed, for the address of the sign-in page; the words are there. */
const problems = {
  identity_unknown: 'not_joined',
  identity_taken: 'taken',
  identity_without_membership: 'no_organization',
  provider_without_organization: 'no_home',
  invitation_invalid: 'invitation_over',
  invitation_expired: 'invitation_over',
  invitation_accepted: 'invitation_over',
} as const satisfies Partial<Record<keyof typeof tenantErrors, string>>;
export type SignInProblem = (typeof problems)[keyof typeof problems] | 'expired' | 'refused' | 'too_many';

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
    more: Pick<PendingSignIn, 'to' | 'join' | 'invitation'>,
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

  /** The session of the account that is joined to the provider's, or becomes so. */
  async function signIn({ provider, to, invitation }: PendingSignIn, granted: Granted, client: Client) {
    const settings = providers.settings(provider);
    const { claims, sid, tokens } = granted;
    const invited = invitation === undefined ? undefined : await tenants.invitations.open(invitation);
    const user = await identities.admit(rulesOf(settings), claims, invited);
    const signIn = { provider, subject: claims.subject, sid, tokens, recheckMs: unusedMsOf(settings) };
    return { to, session: await providerSessions.open(user, signIn, client) };
  }

  async function join({ provider, to, join: joining }: PendingSignIn, { claims }: Granted) {
    const { user_id: id = '', email = '', session_id = '' } = joining ?? {};
    if (!(await tenants.sessions.isOpen(session_id, id))) return { to: problemPage('/sign-in', 'expired') };
    await identities.join({ id, email }, provider, claims.subject);
    await identities.follow(rulesOf(providers.settings(provider)), { id, email }, claims.groups);
    return { to };
  }

  return {
    start,
    startJoin: (provider: string, base: string, { user_id, identity, session_id = '' }: Scope) =>
      start(provider, base, { to: '/account', join: { user_id, email: identity.email ?? '', session_id } }),
    /** Where the browser goes, and the session it then has. */
    async finish({ provider, query, headers }: Callback, client: Client): Promise<FinishedSignIn> {
      providers.settings(provider);
      const pending = pendingCookie.read(box, headers, now());
      if (pending?.provider !== provider) return { to: problemPage('/sign-in', 'expired') };
      const page = pending.join ? '/account' : '/sign-in';
      if (!(await tenants.throttle.takeCallback(client.address))) return { to: problemPage(page, 'too_many') };
      const granted = await exchange(pending, query);
      if (!granted) return { to: problemPage(page, 'refused') };
      try {
        const finished = pending.join ? await join(pending, granted) : await signIn(pending, granted, client);
        await tenants.throttle.giveCallbackBack(client.address);
        return finished;
      } catch (error) {
        const problem = error instanceof ApiError ? findProblem(error) : undefined;
        if (!problem) throw error;
        if (problem === 'no_home') log.warn({ err: error, provider }, 'a sign-in provider has no organization');
        const { subject, email } = granted.claims;
        const isUnjoined = problem === 'not_joined' && email !== undefined;
        return { to: problemPage(page, problem), ...(isUnjoined && { unjoined: { provider, subject, email } }) };
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

function findProblem({ code }: ApiError): SignInProblem | undefined {
  return Object.hasOwn(problems, code ?? '') ? problems[code as keyof typeof problems] : undefined;
}
