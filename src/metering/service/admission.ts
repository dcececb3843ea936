import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../kit/base/clock.ts';
import { storageProblemOf } from '../../kit/base/storage-failure.ts';
import type { Database } from '../../kit/db/index.ts';
import { ApiError } from '../../kit/http/index.ts';
import { Bucket, type BucketSpec } from '../bucket.ts';
import type { LimitCache, LimitTable } from '../cache-limits.ts';
import { rateLimitHeaders } from '../rate-limit-headers.ts';
import { budgetSpent, rateLimited, withoutDatabase } from '../refuse.ts';
import { limitScopeId, limitScopeKinds, type Payer, type Prices } from '../schema.ts';
import type { Budget, Budgets } from './budgets.ts';

const SWEEP_MS = 1000;
const PLANS_MAX = 10_000;
const BUCKETS_MAX = 20_000;

export type ReserveRequest = {
  model: string;
  /** What the request will use, as well as can be told beforehand; 0 for one that uses no tokens. */
  estimatedTokens: number;
  /** Work for a request that was admitted already, such as a check of its input: its tokens count once they are known. */
  isPart?: boolean;
};

type Charge = { bucket: Bucket; amount: number };

/** A request that may run. `headers` go with its answer; `charges` are for `settle`, which empties them. */
export type Reservation = { readonly headers: Readonly<Record<string, string>>; readonly charges: Charge[] };

export type Admission = {
  /** Throws 429. Synchronous when everything it must know is in memory. */
  reserve(payer: Payer, request: ReserveRequest): Reservation | Promise<Reservation>;
  /** Corrects what the request was charged by what it used. Only the first call counts. */
  settle(reservation: Reservation, actualTokens: number): void;
  start(): void;
  stop(): Promise<void>;
};

type Plan = { requests: Bucket[]; tokens: Bucket[]; budgets: Budget[] };
type Plans = { table: LimitTable; byKey: Map<string, Plan> };

const UNLIMITED: Reservation = { headers: {}, charges: [] };
const NO_BUCKETS = { requests: [], tokens: [] };

export function createAdmission(ports: {
  database: Database;
  now: Clock;
  limits: LimitCache;
  budgets: Budgets;
  prices?: Prices | undefined;
}): Admission {
  const { database, now, limits, budgets, prices } = ports;
  const outside = AsyncLocalStorage.snapshot();
  const buckets = new Map<string, Bucket>();
  const holding = new Set<Bucket>();
  let plans: Plans | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> | undefined;

  function planOf(table: LimitTable, payer: Payer): Plan {
    const plan = wholePlanOf(table, payer);
    // Money is spent in the background too; only the pace is free.
    return payer.isBackground ? { ...plan, ...NO_BUCKETS } : plan;
  }

  function wholePlanOf(table: LimitTable, payer: Payer): Plan {
    if (plans?.table !== table || plans.byKey.size >= PLANS_MAX) plans = { table, byKey: new Map() };
    let plan = plans.byKey.get(payer.key_id);
    if (!plan) {
      plan = makePlan(table, payer);
      plans.byKey.set(payer.key_id, plan);
    }
    return plan;
  }

  function makePlan(table: LimitTable, payer: Payer): Plan {
    const plan: Plan = { requests: [], tokens: [], budgets: [] };
    for (const kind of limitScopeKinds) {
      const id = limitScopeId(payer, kind);
      if (id === '') continue;
      const { requests_per_second, tokens_per_minute, monthly_budget_micros } = table({ kind, id });
      if (requests_per_second !== null) {
        const spec = { perMinute: requests_per_second * 60, burst: requests_per_second };
        plan.requests.push(bucketOf({ id: `${kind}:${id}:requests`, ...spec }));
      }
      if (tokens_per_minute !== null) {
        const spec = { perMinute: tokens_per_minute, burst: tokens_per_minute };
        plan.tokens.push(bucketOf({ id: `${kind}:${id}:tokens`, ...spec }));
      }
      if (monthly_budget_micros !== null) plan.budgets.push({ kind, id, micros: monthly_budget_micros });
    }
    return plan;
  }

  function bucketOf(spec: BucketSpec): Bucket {
    const found = buckets.get(spec.id);
    if (found?.perMinute === spec.perMinute) return found;
    // Whatever the old ones hold, the sweep still knows them.
    if (buckets.size >= BUCKETS_MAX) buckets.clear();
    const bucket = new Bucket(spec, { database, now, onHolding: (it) => holding.add(it) });
    buckets.set(spec.id, bucket);
    return bucket;
  }

  function chargesOf(plan: Plan, { estimatedTokens, isPart }: ReserveRequest): Charge[] {
    // The request may have taken all there is, and must not be refused because of itself.
    if (isPart) return plan.tokens.map((bucket) => ({ bucket, amount: 0 }));
    return [
      ...plan.requests.map((bucket) => ({ bucket, amount: 1 })),
      ...plan.tokens.map((bucket) => ({ bucket, amount: bucket.chargeFor(estimatedTokens) })),
    ];
  }

  function budgetsOf(plan: Plan, { model }: ReserveRequest): Budget[] {
    const price = plan.budgets.length > 0 ? prices?.(model) : undefined;
    // What costs nothing cannot exceed a budget.
    return price?.prompt === 0 && price.completion === 0 ? [] : plan.budgets;
  }

  /** The answer from memory; undefined when the database must be asked. */
  function reserveNow(plan: Plan, request: ReserveRequest): Reservation | undefined {
    const nowMs = now();
    for (const budget of budgetsOf(plan, request)) {
      const isSpent = budgets.isSpentNow(budget, nowMs);
      if (isSpent === undefined) return undefined;
      if (isSpent) throw budgetSpent(budget, nowMs);
    }
    const charges = chargesOf(plan, request);
    refuseFromMemory(plan, request, charges, nowMs);
    if (!charges.every(({ bucket, amount }) => bucket.canTake(amount, nowMs))) return undefined;
    for (const { bucket, amount } of charges) bucket.takeNow(amount);
    return admit(plan, request, charges, nowMs);
  }

  /** Before anything is taken, so that what one limit is known to refuse costs the others nothing. */
  function refuseFromMemory(plan: Plan, request: ReserveRequest, charges: Charge[], nowMs: number): void {
    for (const { bucket, amount } of charges) {
      const waitMs = bucket.canTake(amount, nowMs) ? undefined : bucket.refusalMs(amount, nowMs);
      if (waitMs !== undefined) throw rateLimited(waitMs, headersOf(plan, request, nowMs));
    }
  }

  async function reserveSlowly(payer: Payer, request: ReserveRequest): Promise<Reservation> {
    const plan = planOf(limits.current() ?? (await limits.load()), payer);
    for (const budget of budgetsOf(plan, request)) {
      if (budgets.isSpentNow(budget, now()) ?? (await budgets.isSpent(budget))) throw budgetSpent(budget, now());
    }
    const charges = chargesOf(plan, request);
    const startedAtMs = now();
    refuseFromMemory(plan, request, charges, startedAtMs);
    const taken: Charge[] = [];
    try {
      for (const charge of charges) {
        const verdict = await charge.bucket.take(charge.amount);
        if (!verdict.admitted) throw rateLimited(verdict.waitMs, headersOf(plan, request, now()));
        taken.push(charge);
      }
    } catch (error) {
      // A request that one limit refuses must not count against the others.
      for (const { bucket, amount } of taken) bucket.giveBack(amount, startedAtMs);
      throw error;
    }
    return admit(plan, request, charges, now());
  }

  function admit(plan: Plan, request: ReserveRequest, charges: Charge[], nowMs: number): Reservation {
    // The headers of the request itself stand already, and what they say is about the whole of it.
    if (request.isPart) return { headers: {}, charges };
    return { headers: headersOf(plan, request, nowMs), charges: charges.slice(plan.requests.length) };
  }

  function headersOf(plan: Plan, { estimatedTokens }: ReserveRequest, nowMs: number): Record<string, string> {
    return rateLimitHeaders({ ...plan, estimatedTokens, nowMs });
  }

  async function sweep(everything: boolean): Promise<void> {
    const release = async (bucket: Bucket) => {
      if (await bucket.release(now(), everything)) holding.delete(bucket);
    };
    // A bucket that could not be reached keeps its debt and is tried again at the next turn.
    await Promise.allSettled([...holding].map(release));
  }

  return {
    reserve(payer, request) {
      const table = limits.current();
      if (table) {
        const plan = planOf(table, payer);
        if (isUnlimited(plan)) return UNLIMITED;
        const reservation = reserveNow(plan, request);
        if (reservation) return reservation;
      }
      return reserveSlowly(payer, request).catch((error: unknown) => {
        throw error instanceof ApiError || storageProblemOf(error) ? error : withoutDatabase(error);
      });
    },
    settle({ charges }, actualTokens) {
      for (let charge = charges.pop(); charge; charge = charges.pop()) {
        charge.bucket.correct(charge.amount - actualTokens);
      }
    },
    start() {
      timer ??= outside(() =>
        setInterval(() => {
          sweeping ??= sweep(false).finally(() => {
            sweeping = undefined;
          });
        }, SWEEP_MS),
      );
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
      await sweeping;
      await sweep(true);
    },
  };
}

function isUnlimited(plan: Plan): boolean {
  return plan.requests.length === 0 && plan.tokens.length === 0 && plan.budgets.length === 0;
}
