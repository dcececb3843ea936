import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { TestDatabase } from '../../test/support/databases.ts';
import {
  type IdentityProvider,
  type ProviderBrowser,
  startIdentityProvider,
} from '../../test/support/identity-provider.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { type AdminServer, startAdminServer } from '../admin/admin-for-tests.ts';
import { openBrowser, type TestBrowser } from './browser-for-tests.ts';

export const SIGN_IN = '/console/api/sign-in/corp';

type SignInOptions = {
  browser?: TestBrowser;
  place?: ProviderBrowser;
  cookie?: string;
  /** The account is at the provider as it should be. */
  isKnown?: boolean;
  start?: string;
  body?: unknown;
  back?: (url: string) => string;
};

export type ProviderServer = {
  provider: IdentityProvider;
  server: AdminServer;
  /** On the same database, with the same settings. */
  startAnother(): Promise<TestServer>;
  /** Starts a sign-in, goes through the provider as this account, and comes back. */
  signIn(account: string, claims?: Record<string, unknown>, options?: SignInOptions): Promise<FinishedSignIn>;
};
type FinishedSignIn = {
  browser: TestBrowser;
  place: ProviderBrowser;
  back: string;
  status: number;
  to: string | null;
  /** The cookie of a sign-in on its way. */
  pending: string;
  /** The cookie of one that no account is joined to. */
  unjoined: string;
};

type Settings = { corp?: object; labs?: object; file?: object };

/**
 * A real provider, and a server whose people sign in with it. The claim `builders` is the group `Builders`. `labs` is a
 * second provider, which is trusted for no domain.
 */
export async function startProviderServer(database: TestDatabase, more: Settings = {}): Promise<ProviderServer> {
  const provider = await startIdentityProvider();
  const corp = {
    id: 'corp',
    name: 'Corp',
    issuer: provider.issuer,
    client_id: 'tramontane',
    client_secret: 'the-secret-of-tramontane',
    scopes: ['email', 'profile', 'groups'],
    domains: ['corp.test'],
    organization: 'Default',
    groups: [{ claim: 'builders', group: 'Builders' }],
  };
  const labs = { ...corp, id: 'labs', name: 'Labs', domains: [], ...more.labs };
  const options = {
    file: { sign_in: { providers: [{ ...corp, ...more.corp }, labs] }, ...more.file },
    // Servers that share a database share the key for its secrets.
    environment: { TRAMONTANE_SECRETS_KEY: randomBytes(32).toString('base64') },
  };
  const server = await startAdminServer(database, options);
  await provider.set({ base: server.url });
  const { groups } = server.platform.tenants;
  const by = { organization_id: server.organizationId, actor: { type: 'OTHER', metadata: {} } } as const;
  const { id } = await groups.create(by, { description: null, target_type: null, parentIds: [], name: 'Builders' });
  await groups.assign(by, id, server.workspaceId, ['workspace_contributor']);

  return {
    provider,
    server,
    startAnother: () => startTestServer(database, options),
    async signIn(account, claims = {}, options = {}) {
      const email = `${account}@corp.test`;
      if (!options.isKnown)
        await provider.set({ accounts: { [account]: { email, email_verified: true, name: 'Ann Lee', ...claims } } });
      await provider.set({ account });
      const browser = options.browser ?? openBrowser(server);
      const place = options.place ?? provider.openBrowser();
      const body = options.body ?? { to: '/home' };
      const started = await browser.ask(options.start ?? SIGN_IN, { method: 'POST', body });
      expect(started.status).toBe(200);
      const { url } = started.body as { url: string };
      const set = started.headers.getSetCookie().find((line) => line.startsWith('tramontane_sign_in='));
      const pending = set?.split(';')[0] ?? '';
      const back = await place.visit(url);
      const cookie = options.cookie ?? pending;
      const answer = await fetch(options.back?.(back) ?? back, { redirect: 'manual', headers: { cookie } });
      const cookieOf = (name: string) =>
        answer.headers
          .getSetCookie()
          .find((line) => line.startsWith(`${name}=`))
          ?.split(';')[0] ?? '';
      const session = cookieOf('tramontane_session');
      const unjoined = cookieOf('tramontane_unjoined');
      if (session) {
        browser.cookie = session;
        browser.device = cookieOf('tramontane_device');
        browser.session = (await browser.ask('/console/api/session')).body as TestBrowser['session'];
      }
      return { browser, place, back, status: answer.status, to: answer.headers.get('location'), pending, unjoined };
    },
  };
}

export const modelsOf = async (browser: TestBrowser) => (await browser.ask('/v1/models')).status;
export const isSignedIn = async (browser: TestBrowser) => (await browser.ask('/console/api/session')).status === 200;
