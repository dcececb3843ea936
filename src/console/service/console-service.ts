import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Database } from '../../kit/db/index.ts';
import {
  currentRequest,
  type QueueReport,
  type RequestContext,
  requestErrors,
  type Scope,
} from '../../kit/http/index.ts';
import type { Tasks } from '../../kit/tasks/index.ts';
import type { Metering } from '../../metering/index.ts';
import type { ModelService } from '../../models/index.ts';
import {
  type Client,
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
import type { ConsoleModels } from '../schema/models.ts';
import type { PromptUses } from '../schema/prompts.ts';
import type { ConsoleInvitations, ConsoleLink, ConsoleSession, LinkUse, SignIn } from '../schema/session.ts';
import type { SkillFindings, SkillUses } from '../schema/skills.ts';
import { createHealthReport } from './health.ts';
import { createKeyAdministration, type KeyAdministration } from './keys.ts';
import { createLimitAdministration } from './limits.ts';
import { createPulls, type Pulls, type Weights } from './pulls.ts';
import { createRecentErrors, type RecentErrors } from './recent-errors.ts';
import { createSignInService } from './sign-in.ts';
import { createUsageReport } from './usage.ts';

type Browser = Pick<RequestContext, 'headers' | 'origin' | 'setHeader'>;

export type ConsoleService = {
  signIn(given: SignIn, browser: Browser): Promise<ConsoleSession>;
  session(scope: Scope, browser: Browser): Promise<ConsoleSession>;
  signOut(scope: Scope, browser: Browser): Promise<undefined>;
  signOutEverywhere(scope: Scope, browser: Browser): Promise<undefined>;
  openLink(token: string): Promise<ConsoleLink>;
  useLink(token: string, given: LinkUse, browser: Browser): Promise<ConsoleSession>;
  acceptLink(scope: Scope, token: string, browser: Browser): Promise<ConsoleSession>;
  declineLink(scope: Scope, token: string): Promise<undefined>;
  invitations(scope: Scope): Promise<ConsoleInvitations>;
  acceptInvitation(scope: Scope, id: string, browser: Browser): Promise<ConsoleSession>;
  declineInvitation(scope: Scope, id: string): Promise<undefined>;
  keys: KeyAdministration;
  usage: ReturnType<typeof createUsageReport>;
  limits: ReturnType<typeof createLimitAdministration>;
  health: ReturnType<typeof createHealthReport>;
  models(scope: Scope): Promise<ConsoleModels>;
  pulls: Pulls;
  errors: RecentErrors;
  prompts: PromptReports;
  skills: SkillReports;
  /** Deletes expired sessions, links and sign-in attempts. */
  prune(): Promise<void>;
  stop(): Promise<void>;
};

/** Answered by rooms that this one may not import. */
type PromptReports = { uses(scope: Scope, promptId: string): Promise<PromptUses> };
type SkillReports = {
  uses(scope: Scope, skillId: string): Promise<SkillUses>;
  findings(scope: Scope, skillId: string, version: number): Promise<SkillFindings>;
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
  /** The fair queues of this process. */
  reportQueues: () => QueueReport[];
  prompts: PromptReports;
  skills: SkillReports;
  publicUrl: string | undefined;
  currency: string;
  version: string;
  now: Clock;
  log: Logger;
};

export function createConsoleService(deps: ConsolePorts): ConsoleService {
  const { tenants, publicUrl, weights } = deps;
  const { consents } = tenants;
  const signIns = createSignInService(deps);
  const health = createHealthReport(deps);
  const pulls = createPulls(weights, deps.log);

  /** On an https address the cookie is never sent in the clear. */
  const isSecure = ({ origin }: Browser) => (publicUrl ?? origin).startsWith('https:');

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
    const device = await tenants.devices.issue(session.user_id);
    // A second header: Fastify keeps both.
    if (device) browser.setHeader('set-cookie', deviceCookie(device, { isSecure: isSecure(browser) }));
    return toSession(view, session.token);
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
      await tenants.sessions.end(scope);
      return clearCookie(browser);
    },
    async signOutEverywhere(scope, browser) {
      await tenants.sessions.endAll(scope);
      return clearCookie(browser);
    },
    openLink: signIns.openLink,
    useLink: async (token, given, browser) =>
      setCookie(await signIns.useLink(token, given, clientOf(browser)), browser),
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
    keys: createKeyAdministration(tenants),
    usage: createUsageReport(deps),
    limits: createLimitAdministration(deps),
    health,
    pulls,
    errors: createRecentErrors(deps.now),
    prompts: deps.prompts,
    skills: deps.skills,
    async models({ workspace_id }) {
      const installed = new Set(await weights.installed());
      return {
        models: health
          .describeModels(workspace_id)
          .map((model) => ({ ...model, weights: weights.neededBy(model.id) ?? null })),
        catalogue: weights.catalogue().map(({ id, purpose, summary, licence, bytes, memory_bytes, speed }) => ({
          ...{ id, purpose, summary, licence, bytes, memory_bytes, speed },
          installed: installed.has(id),
        })),
        pulls: pulls.list(),
      };
    },
    async stop() {
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
