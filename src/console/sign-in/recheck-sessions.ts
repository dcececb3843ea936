import type { Logger } from '../../kit/base/log.ts';
import type { DueSession, TenantService } from '../../tenants/index.ts';
import { ForeignSubject } from './provider-client.ts';
import type { Providers } from './providers.ts';
import { type ProviderSettings, rulesOf } from './settings.ts';

const AT_ONCE = 8;
const TICK_MIN_MS = 100;
const TICK_MAX_MS = 5000;
/** A session outlives its silent provider by this much. */
const SILENCE_MAX_MS = 60 * 60 * 1000;
/** Codes by which a provider takes its word back; anything else may pass. */
const REFUSALS = ['invalid_grant', 'invalid_token', 'access_denied'];
/** Codes about this server, which say nothing of the person. */
const OUR_OWN = ['invalid_client', 'unauthorized_client'];

type Deps = { tenants: TenantService; providers: Providers; now: () => number; log: Logger };

/** Asks providers again about the sessions they vouched for. Returns the function that stops it. */
export function startRechecks(deps: Deps): () => Promise<void> {
  const { tenants, providers, log } = deps;
  const known = providers.list().map(({ id }) => providers.settings(id));
  // Nobody vouches any longer for sessions of a provider that was taken out of the configuration.
  const removed = tenants.providerSessions
    .endOfOthers(known.map(({ id }) => id))
    .catch((error: unknown) => log.warn({ err: error }, 'sessions of removed providers could not be ended'));
  const stops = known.map((settings) => recheck(deps, settings));
  return async () => {
    await removed;
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Each provider has a loop of its own: one that does not answer holds no other up. */
function recheck({ tenants, providers, now, log }: Deps, settings: ProviderSettings): () => Promise<void> {
  const { providerSessions, identities } = tenants;
  const recheckMs = settings.recheck_seconds * 1000;
  let running: Promise<void> | undefined;

  async function check(session: DueSession): Promise<void> {
    if (!session.tokens) return providerSessions.end(session, 'its tokens cannot be read');
    try {
      const client = await providers.client(settings.id);
      const refreshed = await client.refresh(session.tokens);
      await providerSessions.keep(session.id, refreshed.tokens);
      const groups = await client.groupsOf(session.subject, refreshed);
      await providerSessions.confirm(session.id, recheckMs);
      await identities.follow(rulesOf(settings), session.user, groups);
    } catch (error) {
      if (isRefusal(error)) return providerSessions.end(session, 'refused there');
      if (now() - session.checkedAtMs > SILENCE_MAX_MS) return providerSessions.end(session, 'no answer from there');
      log.warn({ err: error, provider: settings.id }, 'a session could not be checked with its provider');
    }
  }

  async function checkDue(): Promise<void> {
    for (;;) {
      const due = await providerSessions.takeDue(settings.id, AT_ONCE);
      await Promise.all(due.map(check));
      if (due.length < AT_ONCE) return;
    }
  }

  function tick(): void {
    running ??= checkDue()
      .catch((error: unknown) => log.warn({ err: error }, 'sessions could not be checked with their provider'))
      .finally(() => {
        running = undefined;
      });
  }

  const timer = setInterval(tick, Math.min(TICK_MAX_MS, Math.max(TICK_MIN_MS, recheckMs / 4))).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

function isRefusal(error: unknown): boolean {
  if (error instanceof ForeignSubject) return true;
  const { error: code, status } = error as { error?: string; status?: number };
  if (code !== undefined && OUR_OWN.includes(code)) return false;
  return status === 401 || (code !== undefined && REFUSALS.includes(code));
}
