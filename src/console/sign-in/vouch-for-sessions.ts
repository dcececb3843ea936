import { setTimeout as sleep } from 'node:timers/promises';
import type { Voucher } from '../../tenants/index.ts';
import { type CheckPorts, createSessionCheck } from './check-session.ts';
import { type ProviderSettings, rulesOf, unusedMsOf } from './settings.ts';
import { trackAnswers } from './track-answers.ts';

/** Sessions that nobody uses are checked this many at once. */
const AT_ONCE = 8;
const TICK_MAX_MS = 5000;
/** How long a request waits for a provider. One that takes longer counts as silent. */
const ANSWER_MAX_MS = 5000;
/** A session with open work is asked about this much before its last answer is too old. */
const AHEAD_MS = 250;
/** Open work says this often, or more often, that it is there. */
const FOLLOWED_MS = 1500;

type ProviderVoucher = { confirm(id: string): Promise<void> | undefined; follow(id: string): void };
type Started = ProviderVoucher & { stop(): Promise<void> };

/** Asks providers about the sessions they vouched for: when a session is used, and now and then when it is not. */
export function startVouching(ports: CheckPorts): Voucher & { stop(): Promise<void> } {
  const { tenants, providers, log } = ports;
  const known = providers.list().map(({ id }) => providers.settings(id));
  // Nobody vouches any longer for sessions of a provider that was taken out of the configuration.
  const removed = tenants.providerSessions
    .endOfOthers(known.map(({ id }) => id))
    .catch((error: unknown) => log.warn({ err: error }, 'sessions of removed providers could not be ended'));
  // Each provider by itself: one that does not answer holds no other up.
  const vouchers = new Map(known.map((settings) => [settings.id, vouchFor(ports, settings)]));
  return {
    confirm: ({ id, provider }) => vouchers.get(provider)?.confirm(id),
    follow: ({ id, provider }) => vouchers.get(provider)?.follow(id),
    async organizationOf(provider) {
      const settings = providers.find(provider);
      return settings && tenants.identities.findOrganization(rulesOf(settings));
    },
    async stop() {
      await removed;
      await Promise.all([...vouchers.values()].map(({ stop }) => stop()));
    },
  };
}

function vouchFor(ports: CheckPorts, settings: ProviderSettings): Started {
  const { tenants, now, log } = ports;
  const recheckMs = settings.recheck_seconds * 1000;
  const check = createSessionCheck(ports, settings);
  const answers = trackAnswers(now);
  const asking = new Map<string, Promise<void>>();
  const followed = new Map<string, { untilMs: number; timer?: NodeJS.Timeout }>();
  let checking: Promise<void> | undefined;

  async function askNow(id: string): Promise<void> {
    const askedAtMs = now();
    const isAnswered = await check.ask(id).catch((error: unknown) => {
      log.warn({ err: error, provider: settings.id }, 'a session could not be checked with its provider');
      return false;
    });
    if (isAnswered && now() - askedAtMs <= ANSWER_MAX_MS) answers.noteAnswer(id, askedAtMs);
    else answers.noteSilence(id);
  }

  /** Requests of a session share one question. */
  function ask(id: string): Promise<void> {
    const running = asking.get(id) ?? askNow(id).finally(() => asking.delete(id));
    asking.set(id, running);
    return running;
  }

  /** A question that was under way may have been answered before the request came, so it may take a second one. */
  async function askSince(id: string, sinceMs: number): Promise<void> {
    while (answers.askedAt(id) < sinceMs && answers.plan(id) === 'wait') await ask(id);
  }

  function confirm(id: string): Promise<void> | undefined {
    const sinceMs = now() - recheckMs;
    if (answers.askedAt(id) > sinceMs) return undefined;
    const plan = answers.plan(id);
    if (plan === 'try') void ask(id);
    if (plan !== 'wait') return undefined;
    const late = new AbortController();
    const lateness = sleep(ANSWER_MAX_MS, undefined, { signal: late.signal, ref: false }).catch(() => undefined);
    return Promise.race([askSince(id, sinceMs), lateness]).finally(() => late.abort());
  }

  function schedule(id: string): void {
    const entry = followed.get(id);
    if (!entry || entry.timer) return;
    const dueMs = answers.askedAt(id) + recheckMs - AHEAD_MS;
    entry.timer = setTimeout(() => void askFollowed(id), Math.max(AHEAD_MS, dueMs - now())).unref();
  }

  async function askFollowed(id: string): Promise<void> {
    const entry = followed.get(id);
    if (!entry || entry.untilMs < now()) return void followed.delete(id);
    const isDue = answers.askedAt(id) + recheckMs - AHEAD_MS <= now();
    if (isDue && answers.plan(id) !== 'leave') await ask(id);
    delete entry.timer;
    schedule(id);
  }

  async function checkUnused(): Promise<void> {
    for (;;) {
      const due = await tenants.providerSessions.takeDue(settings.id, AT_ONCE);
      await Promise.all(due.map(check.renew));
      if (due.length < AT_ONCE) return;
    }
  }

  function tick(): void {
    checking ??= checkUnused()
      .catch((error: unknown) => log.warn({ err: error }, 'sessions could not be checked with their provider'))
      .finally(() => {
        checking = undefined;
      });
  }

  const timer = setInterval(tick, Math.min(TICK_MAX_MS, unusedMsOf(settings) / 4)).unref();
  return {
    confirm,
    follow(id) {
      const untilMs = now() + FOLLOWED_MS;
      const entry = followed.get(id);
      if (entry) entry.untilMs = untilMs;
      else followed.set(id, { untilMs });
      schedule(id);
    },
    async stop() {
      clearInterval(timer);
      for (const { timer: next } of followed.values()) clearTimeout(next);
      followed.clear();
      await checking;
      await Promise.all(asking.values());
    },
  };
}
