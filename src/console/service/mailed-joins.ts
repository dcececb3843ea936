import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Database } from '../../kit/db/index.ts';
import type { RequestContext } from '../../kit/http/index.ts';
import type { Mailer } from '../../kit/mail/index.ts';
import type { SecretBox } from '../../kit/secrets/index.ts';
import { createTaskRunner, createTasks } from '../../kit/tasks/index.ts';
import { type Client, LINK_PATH, type OpenedSession, type TenantService, tenantErrors } from '../../tenants/index.ts';
import { consoleErrors } from '../errors.ts';
import type { ConsoleLink, LinkUse } from '../schema/session.ts';
import type { Providers } from '../sign-in/providers.ts';
import { createSealedCookie } from '../sign-in/sealed-cookie.ts';
import { writeJoinMail } from '../sign-in/write-join-mail.ts';
import type { UnjoinedSignIn } from './provider-sign-in.ts';
import type { SignInService } from './sign-in.ts';

const QUEUE = 'provider-joins';
const LIFETIME_SECONDS = 3600;
const STOP_MS = 5000;
const TOKEN_PREFIX = 'join-';
/** What the token is sealed for. */
const PLACE = 'provider join link';

type Payload = UnjoinedSignIn & { base_url: string };
type Content = Pick<UnjoinedSignIn, 'provider' | 'subject'> & { user_id: string; email: string; expiresAtMs: number };
type Headers = RequestContext['headers'];

/** Of the browser that was at the provider. The link works there only: an owner must not join the sign-in of a stranger. */
export const unjoinedCookie = createSealedCookie<UnjoinedSignIn>(
  'tramontane_unjoined',
  '/console/api/links',
  LIFETIME_SECONDS,
);

/**
 * How the owner of an account joins a sign-in with a provider to it without being signed in: by a link that is mailed to
 * the address of the account, and by all its factors. Needs a mail server.
 */
export function createMailedJoins(deps: {
  database: Database;
  tenants: TenantService;
  providers: Providers;
  signIns: Pick<SignInService, 'signIn'>;
  mailer: Mailer | undefined;
  box: SecretBox;
  now: Clock;
  log: Logger;
}) {
  const { database, tenants, providers, signIns, mailer, box, now, log } = deps;
  const tasks = createTasks({ database, now });

  /** The account is looked up here, so that the answer to the request says nothing of it. */
  async function deliver({ provider, subject, email, base_url }: Payload): Promise<void> {
    const account = await tenants.sessions.findAccount(email);
    const settings = providers.find(provider);
    if (!account?.password_hash || !settings) return;
    const expiresAtMs = now() + LIFETIME_SECONDS * 1000;
    const content: Content = { provider, subject, user_id: account.id, email: account.email, expiresAtMs };
    const token = TOKEN_PREFIX + box.seal(JSON.stringify(content), PLACE);
    const url = `${base_url}${LINK_PATH}${token}`;
    await mailer?.send(writeJoinMail({ email: account.email, provider: settings.name, url }));
  }

  function read(token: string, headers: Headers): Content {
    const text = box.open(token.slice(TOKEN_PREFIX.length), PLACE);
    const content = text === undefined ? undefined : (JSON.parse(text) as Content);
    if (!content || content.expiresAtMs <= now() || !providers.find(content.provider))
      throw tenantErrors.join_link_invalid();
    const own = unjoinedCookie.read(box, headers, now());
    if (own?.provider !== content.provider || own.subject !== content.subject)
      throw consoleErrors.join_link_elsewhere();
    return content;
  }

  const runner = createTaskRunner({
    database,
    now,
    log,
    queues: { [QUEUE]: { concurrency: 2, handler: ({ payload }) => deliver(payload as Payload) } },
  });

  return {
    isOffered: mailer !== undefined,
    start() {
      if (mailer) runner.start();
    },
    isToken: (token: string) => token.startsWith(TOKEN_PREFIX),
    /** Answers alike whether the address has an account or not. */
    async request(headers: Headers, base_url: string): Promise<undefined> {
      if (!mailer) throw consoleErrors.mail_not_configured();
      const unjoined = unjoinedCookie.read(box, headers, now());
      if (!unjoined) throw consoleErrors.join_not_begun();
      const { provider, subject, email } = unjoined;
      await tenants.throttle.takeMail(`${provider} ${subject}`);
      const payload: Payload = { provider, subject, email: email.trim(), base_url };
      await database.transaction((tx) => tasks.enqueue(tx, { queue: QUEUE, payload }));
    },
    open(token: string, headers: Headers): ConsoleLink {
      const { provider, email, expiresAtMs } = read(token, headers);
      const { id, name } = providers.settings(provider);
      const expires_at = new Date(expiresAtMs).toISOString();
      return {
        ...{ purpose: 'join_provider', email, name: null, organization: null, has_account: true },
        ...{ providers: [{ id, name }], expires_at },
      };
    },
    /** A sign-in with all factors of the account, to which the provider's subject is joined. */
    async use(token: string, { password, code }: LinkUse, client: Client, headers: Headers): Promise<OpenedSession> {
      const { provider, subject, user_id, email, expiresAtMs } = read(token, headers);
      const session = await signIns.signIn({ email, password, ...(code !== undefined && { code }) }, client);
      if (session.user_id !== user_id) throw tenantErrors.join_link_invalid();
      await tenants.identities.joinByLink({ id: user_id, email }, provider, subject, { token, expiresAtMs });
      return session;
    },
    stop: () => runner.stop(STOP_MS),
  };
}
