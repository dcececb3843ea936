import { setTimeout as sleep } from 'node:timers/promises';
import { createFairQueue, type FairQueue, type Tenant, type WatchQueue } from '../../kit/fair-queue/index.ts';

/** How long batches slow down after a request of a client. */
const QUIET_MS = 250;
const YIELD_MS = 5;
/** A timer that is later than this says that the event loop has much to do for clients. */
const LATE_MS = 3;
const YIELDS_MAX = 20;
/** A request that takes longer waits for its model and costs nothing here: it gives its slot back. */
const LONG_MS = 5000;

export type Pace = {
  /** Waits for the tenant's turn at this model, without holding anything. Call the result when the request has ended. */
  enter(tenant: Tenant, model: string, signal: AbortSignal): Promise<() => void>;
  /** Requests that would be sent before the tenant's next one. */
  position(tenant: Tenant, model: string): number;
};

export type PaceOptions = {
  concurrency: number;
  perTenantMax?: number | undefined;
  lastArrivalMs: () => number;
  watch?: WatchQueue | undefined;
  longMs?: number;
};

/**
 * Batch requests share `concurrency` slots in this process, and only one for each organization while clients send
 * requests. Tenants take turns.
 * One model has at most `concurrency` requests, so that one that hangs holds up only what waits for it.
 */
export function createPace(options: PaceOptions): Pace {
  const { concurrency, perTenantMax, lastArrivalMs, longMs = LONG_MS } = options;
  const refuse = () => new Error('Any number may wait here.');
  const isBusy = () => performance.now() - lastArrivalMs() < QUIET_MS;
  const limit = () => (isBusy() ? Math.max(1, slots.tenants()) : concurrency);
  const slots: FairQueue = createFairQueue({ concurrency, perTenantMax, limit, refuse, watch: options.watch });
  const models = new Map<string, FairQueue>();
  let isWaking = false;

  function modelOf(name: string): FairQueue {
    // Two at least, so that no tenant has a model for itself.
    const known = models.get(name) ?? createFairQueue({ concurrency: Math.max(2, concurrency), perTenantMax, refuse });
    models.set(name, known);
    return known;
  }

  /** The server may have become quiet, which wakes nobody by itself. */
  function wakeLater(): void {
    if (isWaking) return;
    isWaking = true;
    setTimeout(() => {
      isWaking = false;
      slots.wake();
      if (slots.stats().waiting > 0) wakeLater();
    }, QUIET_MS).unref();
  }

  async function enterSlot(tenant: Tenant, signal: AbortSignal) {
    const entering = slots.enter(tenant, signal);
    if (slots.stats().waiting > 0) wakeLater();
    const slot = await entering;
    const timer = setTimeout(slot.leave, longMs).unref();
    if (isBusy()) await letOthersWork();
    return () => {
      clearTimeout(timer);
      slot.leave();
    };
  }

  /** Waits until the event loop is on time again, but not for ever. */
  async function letOthersWork(): Promise<void> {
    for (let yields = 0; yields < YIELDS_MAX; yields++) {
      const askedAt = performance.now();
      await sleep(YIELD_MS);
      if (performance.now() - askedAt < YIELD_MS + LATE_MS) return;
    }
  }

  return {
    async enter(tenant, name, signal) {
      const model = modelOf(name);
      const place = await model.enter(tenant, signal);
      const leaveModel = () => {
        place.leave();
        const { running, waiting } = model.stats();
        if (running + waiting === 0) models.delete(name);
      };
      try {
        const leaveSlot = await enterSlot(tenant, signal);
        return () => {
          leaveSlot();
          leaveModel();
        };
      } catch (error) {
        leaveModel();
        throw error;
      }
    },
    position: (tenant, name) => slots.position(tenant) + (models.get(name)?.position(tenant) ?? 0),
  };
}
