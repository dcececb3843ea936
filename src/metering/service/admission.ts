import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../kit/base/clock.ts';
import { storageProblemOf } from '../../kit/base/storage-failure.ts';
import type { Database } from '../../kit/db/index.ts';
import { ApiError } from '../../kit/http/index.ts';
import { Bucket, type BucketSpec } from '../bucket.ts';
import type { LimitCache, LimitTable } from '../cache-limits.ts';
import { monthStartMs } from '../calendar.ts';
import { meteringErrors } from '../errors.ts';
import { rateLimitHeaders } from '../rate-limit-headers.ts';
import { type Budget, limitScopeId, limitScopeKinds, type Payer, type Prices } from '../schema.ts';
import type { Budgets } from './budgets.ts';

const SWEEP_MS = 1000;
const PLANS_MAX = 10_000;
const BUCKETS_MAX = 20_000;

export type ReserveRequest = {
  model: string;
  /** 0 for a request that uses no tokens. */
  estimatedTokens: number;
  /** Part of an admitted request, such as a check of its input: only its actual tokens count. */
  isPart?: boolean;
};

type Charge = { bucket: Bucket; amount: number };

/** An admitted request. `headers` go with its response; `settle` empties `charges`. */
export type Reservation = { readonly headers: Readonly<Record<string, string>>; readonly charges: Charge[] };

export type Admission = {
  /** Throws 429. Synchronous when everything it needs is in memory. */
  reserve(payer: Payer, request: ReserveRequest): Reservation | Promise<Reservation>;
  /** Replaces the estimated charge by the actual one. Only the first call counts. */
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
    // Background work spends budgets but has no rate limits.
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
    // `holding` still has those with leases, so they are released.
    if (buckets.size >= BUCKETS_MAX) buckets.clear();
    const bucket = new Bucket(spec, { database, now, onHolding: (it) => holding.add(it) });
    buckets.set(spec.id, bucket);
    return bucket;
  }

  function chargesOf(plan: Plan, { estimatedTokens, isPart }: ReserveRequest): Charge[] {
    // The request itself may have emptied the bucket and must not be refused for that.
    if (isPart) return plan.tokens.map((bucket) => ({ bucket, amount: 0 }));
    return [
      ...plan.requests.map((bucket) => ({ bucket, amount: 1 })),
      ...plan.tokens.map((bucket) => ({ bucket, amount: bucket.chargeFor(estimatedTokens) })),
    ];
  }

  function budgetsOf(plan: Plan, { model }: ReserveRequest): Budget[] {
    const price = plan.budgets.length > 0 ? prices?.(model) : undefined;
    // A free model cannot exceed a budget.
    return price?.prompt === 0 && price.completion === 0 ? [] : plan.budgets;
  }

  /** From memory; undefined when the database is needed. */
  function reserveFromMemory(plan: Plan, request: ReserveRequest): Reservation | undefined {
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

  /** Before anything is taken, so that a refusal by one limit does not count against the others. */
  function refuseFromMemory(plan: Plan, request: ReserveRequest, charges: Charge[], nowMs: number): void {
    for (const { bucket, amount } of charges) {
      const waitMs = bucket.canTake(amount, nowMs) ? undefined : bucket.refusalMs(amount, nowMs);
      if (waitMs !== undefined) throw rateLimited(waitMs, headersOf(plan, request, nowMs));
    }
  }

  async function reserveFromDatabase(payer: Payer, request: ReserveRequest): Promise<Reservation> {
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
      // A request that one limit refuses does not count against the others.
      for (const { bucket, amount } of taken) bucket.giveBack(amount, startedAtMs);
      throw error;
    }
    return admit(plan, request, charges, now());
  }

  function admit(plan: Plan, request: ReserveRequest, charges: Charge[], nowMs: number): Reservation {
    // The request itself has set the headers already.
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
    // A bucket that cannot be written keeps its debt and is retried at the next sweep.
    await Promise.allSettled([...holding].map(release));
  }

  return {
    reserve(payer, request) {
      const table = limits.current();
      if (table) {
        const plan = planOf(table, payer);
        if (isUnlimited(plan)) return UNLIMITED;
        const reservation = reserveFromMemory(plan, request);
        if (reservation) return reservation;
      }
      return reserveFromDatabase(payer, request).catch((error: unknown) => {
        throw error instanceof ApiError || storageProblemOf(error)
          ? error
          : meteringErrors.limits_unavailable({ cause: error });
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

function rateLimited(waitMs: number, headers: Record<string, string>): ApiError {
  return meteringErrors.rate_limit_exceeded({ headers, retryAfterSeconds: waitMs / 1000 });
}

function budgetSpent({ kind }: Budget, nowMs: number): ApiError {
  const nextMonthMs = monthStartMs(nowMs, 1);
  const begins = new Date(nextMonthMs).toISOString().slice(0, 10);
  return meteringErrors.budget_spent(
    `The monthly budget of this ${kind} is spent. The next month begins on ${begins} (UTC); to continue before that, ask an administrator to raise the budget.`,
    { retryAfterSeconds: (nextMonthMs - nowMs) / 1000 },
  );
}

function isUnlimited(plan: Plan): boolean {
  return plan.requests.length === 0 && plan.tokens.length === 0 && plan.budgets.length === 0;
}
