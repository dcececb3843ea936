import type { Clock } from '../kit/base/clock.ts';

const PER_MINUTE = 240;
const BURST = 60;
const WEBHOOKS_MAX = 10_000;

/** How many deliveries a webhook may get at this process; those beyond are refused before any other work. */
export function createDeliveryLimit(now: Clock, perMinute = PER_MINUTE, burst = BURST): (webhookId: string) => boolean {
  const levels = new Map<string, { tokens: number; atMs: number }>();
  return (webhookId) => {
    const atMs = now();
    const { tokens, atMs: since } = levels.get(webhookId) ?? { tokens: burst, atMs };
    const left = Math.min(burst, tokens + (Math.max(0, atMs - since) * perMinute) / 60_000);
    // Forgetting the levels of webhooks that were quiet for long admits a burst at most.
    if (levels.size >= WEBHOOKS_MAX && !levels.has(webhookId)) levels.clear();
    levels.set(webhookId, { tokens: left >= 1 ? left - 1 : left, atMs });
    return left >= 1;
  };
}
