import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Database } from '../../kit/db/index.ts';
import {
  currentRequest,
  type QueueReport,
  type RawReply,
  type RequestContext,
  raw,
  requestErrors,
  type Scope,
} from '../../kit/http/index.ts';
import type { Mailer } from '../../kit/mail/index.ts';
import type { BoundedFetch } from '../../kit/outbound/index.ts';
import type { SecretBox } from '../../kit/secrets/index.ts';
import type { Tasks } from '../../kit/tasks/index.ts';
import type { Metering, Price } from '../../metering/index.ts';
import type { ModelService } from '../../models/index.ts';
import {
  type Client,
  CONSOLE_ADMINISTER,
  csrfTokenOf,
  deviceCookie,
  type OpenedSession,
  readDeviceToken,
  readSessionToken,
  SESSION_LIFETIME_MS,
  type SessionView,
  sessionCookie,
  type TenantService,
} from '../../tenants/index.ts';
import type { OwnerProof, PasswordChange } from '../schema/account.ts';
import type { ConsoleModels } from '../schema/models.ts';
import type { PromptUses } from '../schema/prompts.ts';
import type { ConsoleInvitations, ConsoleLink, ConsoleSession, LinkUse, SignIn } from '../schema/session.ts';
import type { ConsoleProviders, ProviderStart } from '../schema/sign-in.ts';
import type { SkillFindings, SkillUses } from '../schema/skills.ts';
import { pendingCookie } from '../sign-in/pending-cookie.ts';
import { createProviders } from '../sign-in/providers.ts';
import type { ProviderSettings } from '../sign-in/settings.ts';
import { startVouching } from '../sign-in/vouch-for-sessions.ts';
import { type AccountService, createAccountService } from './account.ts';
import { type ApprovalSource, createApprovals } from './approvals.ts';
import { createHealthReport } from './health.ts';
import { createKeyAdministration, type KeyAdministration } from './keys.ts';
import { createLimitAdministration } from './limits.ts';
import { createMailedJoins, unjoinedCookie } from './mailed-joins.ts';
import { createMcpCallers, type RecentMcpCallers } from './mcp-callers.ts';
import { createNames, type NamePorts } from './names.ts';
import { createPlaygroundSessions, type PlaygroundSessions } from './playground.ts';
import { createProviderSignIn, type StartedSignIn } from './provider-sign-in.ts';
import { createPulls, type Pulls, type Weights } from './pulls.ts';
import { createQuarantineReport, type QuarantinePort } from './quarantine.ts';
import { createRecentErrors, type RecentErrors } from './recent-errors.ts';
import { createSearch, type SearchSource } from './search.ts';
import { createServiceAccountKeys } from './service-account-keys.ts';
import { createSignInService } from './sign-in.ts';
import { createSignInRules } from './sign-in-rules.ts';
import { createUsageReport } from './usage.ts';

type Browser = Pick<RequestContext, 'headers' | 'origin' | 'setHeader'>;

export type ConsoleService = {
  signIn(given: SignIn, browser: Browser): Promise<ConsoleSession>;
  session(scope: Scope, browser: Browser): Promise<ConsoleSession>;
  signOut(scope: Scope, browser: Browser): Promise<{ sign_out_url: string | null }>;
  signOutEverywhere(scope: Scope, browser: Browser): Promise<undefined>;
  openLink(token: string, browser: Browser): Promise<ConsoleLink>;
  useLink(token: string, given: LinkUse, browser: Browser): Promise<ConsoleSession>;
  mailLink(browser: Browser): Promise<undefined>;
  acceptLink(scope: Scope, token: string, browser: Browser): Promise<ConsoleSession>;
  declineLink(scope: Scope, token: string): Promise<undefined>;
  invitations(scope: Scope): Promise<ConsoleInvitations>;
  acceptInvitation(scope: Scope, id: string, browser: Browser): Promise<ConsoleSession>;
  declineInvitation(scope: Scope, id: string): Promise<undefined>;
  account: AccountService;
  changePassword(scope: Scope, given: PasswordChange, browser: Browser): Promise<undefined>;
  beginSecondFactor(scope: Scope, proof: OwnerProof, browser: Browser): Promise<{ secret: string; address: string }>;
  renewRecoveryCodes(scope: Scope, proof: OwnerProof, browser: Browser): Promise<{ recovery_codes: string[] }>;
  removeSecondFactor(scope: Scope, proof: OwnerProof, browser: Browser): Promise<undefined>;
  signInRules: ReturnType<typeof createSignInRules>;
  providers(): ConsoleProviders;
  startSignIn(provider: string, given: ProviderStart, browser: Browser): Promise<{ url: string }>;
  finishSignIn(provider: string, query: Record<string, string>, browser: Browser): Promise<RawReply>;
  endByProvider(provider: string, body: unknown, browser: Browser): Promise<RawReply>;
  joinProvider(scope: Scope, provider: string, proof: OwnerProof, browser: Browser): Promise<{ url: string }>;
  keys: KeyAdministration;
  serviceAccountKeys: ReturnType<typeof createServiceAccountKeys>;
  usage: ReturnType<typeof createUsageReport>;
  limits: ReturnType<typeof createLimitAdministration>;
  health: ReturnType<typeof createHealthReport>;
  quarantine: ReturnType<typeof createQuarantineReport>;
  models(scope: Scope): Promise<ConsoleModels>;
  pulls: Pulls;
  errors: RecentErrors;
  mcpCallers: RecentMcpCallers;
  prompts: PromptReports;
  skills: SkillReports;
  names: ReturnType<typeof createNames>;
  search: ReturnType<typeof createSearch>;
  approvals: ReturnType<typeof createApprovals>;
  playground: PlaygroundSessions;
  /** Deletes expired sessions, links and sign-in attempts. */
  prune(): Promise<void>;
  /** Begins to send what was asked for by mail. */
  start(): void;
  stop(): Promise<void>;
};

/** Answered by rooms that this one may not import. */
type PromptReports = { uses(scope: Scope, promptId: string): Promise<PromptUses> };
type SkillReports = {
  uses(scope: Scope, skillId: string): Promise<SkillUses>;
  findings(scope: Scope, skillId: string, version: number): Promise<SkillFindings>;
  /** Says that somebody has looked at the findings. */
  closeFindings(scope: Scope, skillId: string, version: number): Promise<undefined>;
};

export type ConsolePorts = {
  database: Database;
  tenants: TenantService;
  metering: Metering;
  models: ModelService;
  tasks: Tasks;
  weights: Weights;
  /** The engine of a configured model, by the model's id. */
  engineOf: (modelId: string) => string;
  /** What a model costs, and who says how it is served. */
  offerOf: (modelId: string) => Pick<ConsoleModels['models'][number], 'price' | 'source' | 'limits' | 'base'>;
  /** Whether the scope's organization operates this server. */
  isOperator: (scope: Scope) => Promise<boolean>;
  /** The fair queues of this process. */
  reportQueues: () => QueueReport[];
  quarantine: QuarantinePort;
  prompts: PromptReports;
  skills: SkillReports;
  agents: NamePorts['agents'];
  /** What the search everywhere looks into, and what waits for a person. */
  searched: readonly SearchSource[];
  approved: readonly ApprovalSource[];
  /** With whose accounts people sign in, and how they are reached. */
  signInProviders: readonly ProviderSettings[];
  fetchProvider: BoundedFetch;
  /** Undefined where no mail server is configured. */
  mailer: Mailer | undefined;
  box: SecretBox;
  publicUrl: string | undefined;
  /** Per million tokens. */
  priceOf: (model: string) => Price | undefined;
  currency: string;
  version: string;
  now: Clock;
  log: Logger;
};

export function createConsoleService(deps: ConsolePorts): ConsoleService {
  const { tenants, publicUrl, weights } = deps;
  const { consents } = tenants;
  const providers = createProviders({ ...deps, providers: deps.signInProviders, fetch: deps.fetchProvider });
  const signIns = createSignInService({ ...deps, providers });
  const mailedJoins = createMailedJoins({ ...deps, providers, signIns });
  const providerSignIn = createProviderSignIn({ ...deps, providers });
  const account = createAccountService({ tenants, providers });
  const voucher = startVouching({ ...deps, providers });
  tenants.vouching.use(voucher);
  const errors = createRecentErrors(deps.now);
  const health = createHealthReport({ ...deps, listErrors: errors.list });
  const pulls = createPulls(weights, deps.log);

  /** On an https address the cookie is never sent in the clear. */
  const baseOf = ({ origin }: Browser) => publicUrl ?? origin;
  const isSecure = (browser: Browser) => baseOf(browser).startsWith('https:');

  function toSession(view: SessionView, token: string): ConsoleSession {
    return { ...view, csrf_token: csrfTokenOf(token) };
  }

  async function setCookie(session: OpenedSession, browser: Browser): Promise<ConsoleSession> {
    const view = await tenants.sessions.describeOpened(session);
    // A user without an organization has no access to anything.
    if (!view) throw requestErrors.unauthorized();
    const maxAgeSeconds = SESSION_LIFETIME_MS / 1000;
    browser.setHeader('cache-control', 'no-store');
    browser.setHeader('set-cookie', sessionCookie(session.token, { isSecure: isSecure(browser), maxAgeSeconds }));
    // A provider's sign-in says nothing of who knows the password.
    if (view.sign_in.provider === null) await knowDevice(session.user_id, browser);
    return toSession(view, session.token);
  }

  async function knowDevice(userId: string, browser: Browser): Promise<undefined> {
    const device = await tenants.devices.issue(userId);
    // A second header: Fastify keeps both.
    if (device) browser.setHeader('set-cookie', deviceCookie(device, { isSecure: isSecure(browser) }));
  }

  function leaveFor({ url, pending }: StartedSignIn, browser: Browser): { url: string } {
    browser.setHeader('set-cookie', pendingCookie.set(deps.box, pending, deps.now(), isSecure(browser)));
    return { url };
  }

  async function session(scope: Scope, { headers, setHeader }: Browser): Promise<ConsoleSession> {
    setHeader('cache-control', 'no-store');
    return toSession(await tenants.sessions.describe(scope), readSessionToken(headers) ?? '');
  }

  function clearCookie(browser: Browser): undefined {
    browser.setHeader('set-cookie', sessionCookie('', { isSecure: isSecure(browser), maxAgeSeconds: 0 }));
  }

  return {
    signIn: async (given, browser) => setCookie(await signIns.signIn(given, clientOf(browser)), browser),
    session,
    async signOut(scope, browser) {
      const sign_out_url = await providerSignIn.signOutUrl(scope, baseOf(browser));
      await tenants.sessions.end(scope);
      clearCookie(browser);
      return { sign_out_url };
    },
    async signOutEverywhere(scope, browser) {
      await tenants.sessions.endAll(scope);
      return clearCookie(browser);
    },
    openLink: async (token, { headers }) =>
      mailedJoins.isToken(token) ? mailedJoins.open(token, headers) : signIns.openLink(token),
    async useLink(token, given, browser) {
      const client = clientOf(browser);
      if (!mailedJoins.isToken(token)) return setCookie(await signIns.useLink(token, given, client), browser);
      const session = await setCookie(await mailedJoins.use(token, given, client, browser.headers), browser);
      browser.setHeader('set-cookie', unjoinedCookie.clear(isSecure(browser)));
      return session;
    },
    mailLink: (browser) => mailedJoins.request(browser.headers, baseOf(browser)),
    async acceptLink(scope, token, browser) {
      await consents.acceptLink(scope, token);
      return session(scope, browser);
    },
    declineLink: consents.declineLink,
    invitations: async (scope) => ({ invitations: await consents.list(scope) }),
    async acceptInvitation(scope, id, browser) {
      await consents.accept(scope, id);
      return session(scope, browser);
    },
    declineInvitation: consents.decline,
    async prune() {
      await tenants.sessions.prune();
      await tenants.throttle.prune();
    },
    account,
    async changePassword(scope, given, browser) {
      await account.changePassword(scope, given, clientOf(browser));
      // A new password ends what the account knew of this browser.
      return knowDevice(scope.user_id, browser);
    },
    beginSecondFactor: (scope, proof, browser) => account.beginSecondFactor(scope, proof, clientOf(browser)),
    renewRecoveryCodes: (scope, proof, browser) => account.renewRecoveryCodes(scope, proof, clientOf(browser)),
    removeSecondFactor: (scope, proof, browser) => account.removeSecondFactor(scope, proof, clientOf(browser)),
    signInRules: createSignInRules({ tenants, providers }),
    providers: () => ({ providers: providers.list(), joins_by_mail: mailedJoins.isOffered }),
    async startSignIn(provider, given, browser) {
      if (given.invitation !== undefined) await tenants.invitations.open(given.invitation);
      return leaveFor(await providerSignIn.start(provider, baseOf(browser), given), browser);
    },
    async joinProvider(scope, provider, proof, browser) {
      await account.prove(scope, proof, clientOf(browser));
      return leaveFor(await providerSignIn.startJoin(provider, baseOf(browser), scope), browser);
    },
    async finishSignIn(provider, query, browser) {
      const callback = { provider, query: new URLSearchParams(query).toString(), headers: browser.headers };
      const { to, session: opened, unjoined } = await providerSignIn.finish(callback, clientOf(browser));
      browser.setHeader('set-cookie', pendingCookie.clear(isSecure(browser)));
      if (unjoined && mailedJoins.isOffered)
        browser.setHeader('set-cookie', unjoinedCookie.set(deps.box, unjoined, deps.now(), isSecure(browser)));
      if (opened) await setCookie(opened, browser);
      return raw('', 'text/plain', { 'cache-control': 'no-store', location: `/console${to}` }, 303);
    },
    async endByProvider(provider, body) {
      const form = new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '');
      await providerSignIn.endByProvider(provider, form.get('logout_token') ?? '');
      return raw('', 'text/plain', { 'cache-control': 'no-store' });
    },
    keys: createKeyAdministration(deps),
    serviceAccountKeys: createServiceAccountKeys(tenants),
    usage: createUsageReport(deps),
    limits: createLimitAdministration(deps),
    health,
    quarantine: createQuarantineReport(deps),
    pulls,
    errors,
    mcpCallers: createMcpCallers(deps.now),
    prompts: deps.prompts,
    skills: deps.skills,
    names: createNames(deps),
    search: createSearch(deps.searched),
    approvals: createApprovals(deps.approved),
    playground: createPlaygroundSessions(deps),
    async models(scope) {
      const installed = new Set(await weights.installed());
      return {
        models: (await health.describeModels(scope.workspace_id)).map((model) => {
          const offer = deps.offerOf(model.base ?? model.id);
          const isTuned = model.base !== null;
          return {
            ...model,
            ...offer,
            ...(isTuned && { source: null, base: model.base }),
            weights: weights.neededBy(model.id) ?? null,
          };
        }),
        currency: deps.currency,
        is_operator: scope.permissions.has(CONSOLE_ADMINISTER) && (await deps.isOperator(scope)),
        catalogue: weights.catalogue().map(({ id, purpose, summary, licence, bytes, memory_bytes, speed }) => ({
          ...{ id, purpose, summary, licence, bytes, memory_bytes, speed },
          installed: installed.has(id),
        })),
        pulls: pulls.list(),
      };
    },
    start: mailedJoins.start,
    async stop() {
      await voucher.stop();
      await mailedJoins.stop();
      await pulls.stop();
      await signIns.stop();
    },
  };
}

function clientOf({ headers }: Browser): Client {
  const address = currentRequest()?.address ?? '';
  const userAgent = headers['user-agent'] ?? '';
  return { address, userAgent, token: readSessionToken(headers), deviceToken: readDeviceToken(headers) };
}
