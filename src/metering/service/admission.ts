import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../kit/base/clock.ts';
import { storageProblemOf } from '../../kit/base/storage-failure.ts';
import type { Database } from '../../kit/db/index.ts';
import { ApiError } from '../../kit/http/index.ts';
import { Bucket, type BucketSpec } from '../bucket.ts';
import type { LimitCache, LimitTable } from '../cache-limits.ts';
import { meteringErrors } from '../errors.ts';
import { costMicrosOf } from '../money.ts';
import { rateLimitHeaders } from '../rate-limit-headers.ts';
import { budgetHeld, budgetSpent, rateLimited } from '../refuse-request.ts';
import {
  type Budget,
  limitScopeId,
  limitScopeKinds,
  type ModelLimits,
  type Payer,
  type Prices,
  type TokenUsage,
} from '../schema.ts';
import type { Budgets } from './budgets.ts';

const SWEEP_MS = 1000;
const PLANS_MAX = 10_000;
const BUCKETS_MAX = 20_000;

export type ReserveRequest = {
  model: string;
  /** 0 for a request that uses no tokens. */
  estimatedTokens: number;
  /** What the budget holds back until the request ends; by default the estimate. */
  heldTokens?: number;
  /** Part of an admitted request, such as a check of its input: only its actual tokens count. */
  isPart?: boolean;
  /** What the request has used so far, which is not on the ledger yet. */
  unrecorded?: TokenUsage;
};

type Charge = { bucket: Bucket; amount: number };
type Hold = { budget: Budget; micros: number };

/** An admitted request. `headers` go with its response; `settle` empties `charges` and `holds`. */
export type Reservation = {
  readonly headers: Readonly<Record<string, string>>;
  readonly charges: Charge[];
  readonly holds: Hold[];
};

export type Admission = {
  /** Throws 429. Synchronous when everything it needs is in memory. */
  reserve(payer: Payer, request: ReserveRequest): Reservation | Promise<Reservation>;
  /** Replaces the estimated charge by the actual one. Only the first call counts. */
  settle(reservation: Reservation, actualTokens: number): void;
  start(): void;
  stop(): Promise<void>;
};

type Plan = {
  workspaceId: string;
  organizationId: string;
  requests: Bucket[];
  tokens: Bucket[];
  budgets: Budget[];
  isBackground: boolean;
};
type Plans = { table: LimitTable; byKey: Map<string, Plan> };

const UNLIMITED: Reservation = { headers: {}, charges: [], holds: [] };
const NO_BUCKETS = { requests: [], tokens: [] };

export function createAdmission(ports: {
  database: Database;
  now: Clock;
  limits: LimitCache;
  budgets: Budgets;
  prices?: Prices | undefined;
  modelLimits?: ((model: string) => ModelLimits | undefined) | undefined;
}): Admission {
  const { database, now, limits, budgets, prices, modelLimits } = ports;
  const outside = AsyncLocalStorage.snapshot();
  const buckets = new Map<string, Bucket>();
  const holding = new Set<Bucket>();
  let plans: Plans | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> | undefined;

  function planOf(table: LimitTable, payer: Payer, model: string): Plan {
    const plan = wholePlanOf(table, payer);
    // Background work spends budgets but has no rate limits.
    if (payer.isBackground) return { ...plan, ...NO_BUCKETS, isBackground: true };
    const limited = modelLimits?.(model);
    return limited ? withModel(plan, model, limited) : plan;
  }

  /** The limits of the model as well, which all callers share. */
  function withModel(plan: Plan, model: string, { requestsPerMinute, tokensPerMinute }: ModelLimits): Plan {
    const bucket = (unit: string, perMinute: number | null) =>
      perMinute === null ? [] : [bucketOf({ id: `model:${model}:${unit}`, perMinute, burst: perMinute })];
    return {
      ...plan,
      requests: [...plan.requests, ...bucket('requests', requestsPerMinute)],
      tokens: [...plan.tokens, ...bucket('tokens', tokensPerMinute)],
    };
  }

  function wholePlanOf(table: LimitTable, payer: Payer): Plan {
    if (plans?.table !== table || plans.byKey.size >= PLANS_MAX) plans = { table, byKey: new Map() };
    const known = plans.byKey.get(payer.key_id);
    // A session acts for its user in one workspace after another, so the key alone does not identify the plan.
    if (known?.workspaceId === payer.workspace_id && known.organizationId === payer.organization_id) return known;
    const plan = makePlan(table, payer);
    plans.byKey.set(payer.key_id, plan);
    return plan;
  }

  function makePlan(table: LimitTable, payer: Payer): Plan {
    const { workspace_id: workspaceId, organization_id: organizationId } = payer;
    const plan: Plan = {
      workspaceId,
      organizationId,
      requests: [],
      tokens: [],
      budgets: [],
      isBackground: false,
    };
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
    const spending = budgetsOf(plan, request);
    for (const budget of spending) {
      const spent = budgets.spentNow(budget, nowMs);
      if (spent === undefined) return undefined;
      refuseBeyond(plan, budget, spent, request, nowMs);
    }
    const charges = chargesOf(plan, request);
    refuseFromMemory(plan, request, charges, nowMs);
    if (!charges.every(({ bucket, amount }) => bucket.canTake(amount, nowMs))) return undefined;
    for (const { bucket, amount } of charges) bucket.takeNow(amount);
    return admit(plan, request, charges, holdFrom(spending, request), nowMs);
  }

  /** Before anything is taken, so that a refusal by one limit does not count against the others. */
  function refuseFromMemory(plan: Plan, request: ReserveRequest, charges: Charge[], nowMs: number): void {
    for (const { bucket, amount } of charges) {
      const waitMs = bucket.canTake(amount, nowMs) ? undefined : bucket.refusalMs(amount, nowMs);
      if (waitMs !== undefined) throw rateLimited(waitMs, headersOf(plan, request, nowMs));
    }
  }

  async function reserveFromDatabase(payer: Payer, request: ReserveRequest): Promise<Reservation> {
    const plan = planOf(limits.current() ?? (await limits.load()), payer, request.model);
    const spending = budgetsOf(plan, request);
    for (const budget of spending) await budgets.read(budget);
    const charges = chargesOf(plan, request);
    const startedAtMs = now();
    // Before anything is held: what refuses here gives nothing back.
    refuseFromMemory(plan, request, charges, startedAtMs);
    // Without an await between the check and the hold, or requests that wait together would all pass.
    for (const budget of spending) refuseBeyond(plan, budget, budgets.spentNow(budget) ?? 0, request, startedAtMs);
    const holds = holdFrom(spending, request);
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
      releaseHolds(holds);
      throw error;
    }
    return admit(plan, request, charges, holds, now());
  }

  function admit(plan: Plan, request: ReserveRequest, charges: Charge[], holds: Hold[], nowMs: number): Reservation {
    // The request itself has set the headers already.
    if (request.isPart) return { headers: {}, charges, holds };
    return { headers: headersOf(plan, request, nowMs), charges: charges.slice(plan.requests.length), holds };
  }

  /**
   * A part only adds to what its request holds already, and background work runs a few requests at a time and would fail
   * where it should wait: both are refused by what was spent alone.
   */
  function refuseBeyond(plan: Plan, budget: Budget, spent: number, request: ReserveRequest, nowMs: number): void {
    const { model, isPart, unrecorded } = request;
    const price = prices?.(model);
    const own = unrecorded && price ? costMicrosOf(price, unrecorded.promptTokens, unrecorded.completionTokens) : 0;
    if (spent + own >= budget.micros) throw budgetSpent(budget, nowMs);
    if (isPart || plan.isBackground) return;
    if (spent + budgets.held(budget) >= budget.micros) throw budgetHeld(budget);
  }

  function holdFrom(spending: readonly Budget[], request: ReserveRequest): Hold[] {
    const { model, isPart, estimatedTokens, heldTokens = estimatedTokens } = request;
    const price = isPart || spending.length === 0 ? undefined : prices?.(model);
    if (!price) return [];
    const micros = heldTokens * Math.max(price.prompt, price.completion);
    return spending.map((budget) => {
      budgets.hold(budget, micros);
      return { budget, micros };
    });
  }

  function releaseHolds(holds: Hold[]): void {
    for (let hold = holds.pop(); hold; hold = holds.pop()) budgets.release(hold.budget, hold.micros);
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
        const plan = planOf(table, payer, request.model);
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
    settle({ charges, holds }, actualTokens) {
      releaseHolds(holds);
      for (let charge = charges.pop(); charge; charge = charges.pop()) {
        charge.bucket.correct(charge.amount - actualTokens);
      }
    },
    start() {
      timer ??= outside(() =>
        setInterval(() => {
          if (holding.size === 0) return;
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
