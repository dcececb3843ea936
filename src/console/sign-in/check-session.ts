import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../kit/base/log.ts';
import type { CheckedSession, TenantService } from '../../tenants/index.ts';
import { ForeignSubject, type NamedGroups } from './provider-client.ts';
import type { Providers } from './providers.ts';
import { type ProviderSettings, rulesOf, unusedMsOf } from './settings.ts';

/** A session outlives its silent provider by this much. */
const SILENCE_MAX_MS = 60 * 60 * 1000;
/** Another process has the session; its answer is looked for this often. */
const LOOK_AGAIN_MS = 50;
const LOOKS_MAX = 200;
/** Codes by which a provider takes its word back; anything else may pass. */
const REFUSALS = ['invalid_grant', 'invalid_token', 'access_denied'];
/** Codes about this server, which say nothing of the person. */
const OUR_OWN = ['invalid_client', 'unauthorized_client'];

export type CheckPorts = { tenants: TenantService; providers: Providers; now: () => number; log: Logger };

export type SessionCheck = {
  /**
   * Asks by the user info, with the access token as it is; where that is refused or says nothing of groups, by `renew`.
   * False where the provider did not answer. What it says holds once this returns.
   */
  ask(id: string): Promise<boolean>;
  /** Asks with the refresh token about a session that was taken. */
  renew(session: CheckedSession): Promise<boolean>;
};

/** Applies what the provider says of a session: groups follow, a refusal ends it. */
export function createSessionCheck(ports: CheckPorts, settings: ProviderSettings): SessionCheck {
  const { tenants, providers, now, log } = ports;
  const { providerSessions, identities } = tenants;

  async function renew(session: CheckedSession): Promise<boolean> {
    const { id, subject, user } = session;
    const askedAtMs = now();
    try {
      if (!session.tokens) {
        await providerSessions.end(session, 'its tokens cannot be read');
        return true;
      }
      const client = await providers.client(settings.id);
      const refreshed = await client.refresh(session.tokens);
      await providerSessions.keep(id, refreshed.tokens);
      const { groups, from } = await client.groupsOf(subject, refreshed);
      if (from !== refreshed.tokens.groups_from)
        await providerSessions.keep(id, { ...refreshed.tokens, groups_from: from });
      await identities.follow(rulesOf(settings), user, groups);
      await providerSessions.confirm(id, askedAtMs, unusedMsOf(settings));
      return true;
    } catch (error) {
      return settleFailure(session, error);
    }
  }

  async function settleFailure(session: CheckedSession, error: unknown): Promise<boolean> {
    if (isRefusal(error)) {
      await providerSessions.end(session, 'refused there');
      return true;
    }
    log.warn({ err: error, provider: settings.id }, 'a session could not be checked with its provider');
    if (now() - session.checkedAtMs > SILENCE_MAX_MS) await providerSessions.end(session, 'no answer from there');
    else await providerSessions.release(session.id, unusedMsOf(settings));
    return false;
  }

  /** Undefined where the tokens have to be renewed to know. */
  async function askUserInfo({ subject, tokens }: CheckedSession): Promise<NamedGroups | undefined> {
    if (!tokens) return undefined;
    const client = await providers.client(settings.id);
    // The access token may have ended, or been replaced by another process: only a refused renewal is the last word.
    return client.askGroups(subject, tokens).catch((error: unknown) => {
      if (isRefusal(error)) return undefined;
      throw error;
    });
  }

  /** Renews, or waits for a process that began to do so later than this. */
  async function renewOnce(id: string): Promise<boolean> {
    const sinceMs = now();
    for (let looks = 0; looks < LOOKS_MAX; looks++) {
      const taken = await providerSessions.take(id);
      if (taken) return renew(taken);
      const session = await providerSessions.read(id);
      if (!session || session.checkedAtMs >= sinceMs) return true;
      await sleep(LOOK_AGAIN_MS);
    }
    return false;
  }

  return {
    renew,
    async ask(id) {
      const session = await providerSessions.read(id);
      // It has ended meanwhile.
      if (!session) return true;
      const named = await askUserInfo(session);
      if (!named) return renewOnce(id);
      await identities.follow(rulesOf(settings), session.user, named.groups);
      return true;
    },
  };
}

function isRefusal(error: unknown): boolean {
  if (error instanceof ForeignSubject) return true;
  const { error: code, status } = error as { error?: string; status?: number };
  if (code !== undefined && OUR_OWN.includes(code)) return false;
  return status === 401 || (code !== undefined && REFUSALS.includes(code));
}
