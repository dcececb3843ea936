import type { Tenant } from '../../kit/fair-queue/index.ts';
import type { ApiError } from '../../kit/http/index.ts';
import { engineErrors } from '../errors.ts';

/** Of all places one organization may have this part, and of those one key again this part. */
const SHARE = 0.75;

export type Shares = {
  /** Takes places in the queue, or throws a 429 when this organization or key has its share already. */
  take(tenant: Tenant | undefined, places: number, retryAfterSeconds: number): () => void;
};

/** Keeps places in a model's queue free for those who have none: one organization or key never fills it alone. */
export function createShares(subject: string, placesMax: number): Shares {
  const taken = new Map<string, number>();

  function add(name: string, places: number): void {
    const sum = (taken.get(name) ?? 0) + places;
    if (sum === 0) taken.delete(name);
    else taken.set(name, sum);
  }

  function refusal(whose: string, waiting: number, retryAfterSeconds: number): ApiError {
    return engineErrors.tenant_queue_full(
      `${waiting} answers for this ${whose} already run or wait for ${subject}. Send the request again when some have ended.`,
      { retryAfterSeconds },
    );
  }

  return {
    take(tenant, places, retryAfterSeconds) {
      if (!tenant) return () => undefined;
      const organization = tenant.organization;
      const key = `${organization}\n${tenant.key}`;
      const organizationMax = Math.max(1, Math.floor(placesMax * SHARE));
      const limits: [string, string, number][] = [
        ['organization', organization, organizationMax],
        ['key', key, Math.max(1, Math.floor(organizationMax * SHARE))],
      ];
      for (const [whose, name, max] of limits) {
        const waiting = taken.get(name) ?? 0;
        // A single request with many choices is served however many they are.
        if (waiting > 0 && waiting + places > max) throw refusal(whose, waiting, retryAfterSeconds);
      }
      for (const [, name] of limits) add(name, places);
      return () => {
        for (const [, name] of limits) add(name, -places);
      };
    },
  };
}
