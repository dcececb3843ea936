import type { Clock } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import {
  fromMicros,
  type Metering,
  type Price,
  toMicros,
  type UsageKind,
  type UsageRow,
} from '../../metering/index.ts';
import { actorOf, type Scope, type TenantService } from '../../tenants/index.ts';
import type {
  ByModel,
  LimitsOUT,
  NewUsageLimitIN,
  RateLimitsOUT,
  UsageOUTJSON,
  UsageQuery,
} from '../schema/billing.ts';

/** The wire format has no value for "no limit" in a rate, so this is the largest safe integer. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

type Section = 'completion' | 'ocr' | 'connectors' | 'audio' | 'audio_characters';

/** The section of the report for a kind of usage; other kinds count tokens under `completion`. */
const SECTIONS: Partial<Record<UsageKind, Section>> = {
  ocr: 'ocr',
  connector: 'connectors',
  transcription: 'audio',
  speech: 'audio_characters',
};
const METRICS: Record<Section, string> = {
  completion: 'api_tokens',
  ocr: 'api_pages',
  connectors: 'api_connectors',
  audio: 'api_audio_seconds',
  audio_characters: 'api_audio_characters',
};
const NO_USAGE: ByModel = { models: {} };

export type BillingPorts = {
  database: Database;
  tenants: TenantService;
  metering: Metering;
  now: Clock;
  currency: string;
  /** The configured models and their prices. */
  prices: () => ReadonlyMap<string, Price>;
};

export function createBilling({ database, tenants, metering, now, currency, prices }: BillingPorts) {
  const { db } = database;
  const scopeOf = ({ organization_id }: Scope) => ({ kind: 'organization', id: organization_id }) as const;

  async function spendLimit(scope: Scope): Promise<LimitsOUT> {
    const { monthly_budget_micros: limit } = await metering.getLimits(db, scopeOf(scope));
    const spent = await metering.spent(db, scopeOf(scope));
    const completion = {
      no_monthly_limit: limit === null,
      monthly_limit_reached: limit !== null && spent >= limit,
      usage: fromMicros(spent),
      vibe_usage: 0,
      total_usage: fromMicros(spent),
      usage_limit: limit === null ? null : fromMicros(limit),
    };
    return { limits: { completion, last_payment_failure: false, last_payment_failure_protection: null, currency } };
  }

  return {
    spendLimit,
    async rateLimits(scope: Scope): Promise<RateLimitsOUT> {
      const { requests_per_second, tokens_per_minute } = await metering.getLimits(db, scopeOf(scope));
      // One limit covers all models together, so each of them may use it up.
      const each = { tokens_per_minute: tokens_per_minute ?? UNLIMITED, tokens_per_month: UNLIMITED };
      return {
        requests_per_second: requests_per_second ?? UNLIMITED,
        tokens_limits_by_model: Object.fromEntries([...prices().keys()].map((model) => [model, each])),
      };
    },
    async setSpendLimit(scope: Scope, { amount, no_monthly_limit }: NewUsageLimitIN): Promise<LimitsOUT> {
      const limits = { monthly_budget_micros: no_monthly_limit ? null : toMicros(amount) };
      const { organization_id } = scope;
      await database.transaction((tx) =>
        metering.setLimits(tx, { organization_id, scope: scopeOf(scope), limits, actor: actorOf(scope) }),
      );
      return spendLimit(scope);
    },
    async usage(scope: Scope, { month, year, workspace_id, api_zone }: UsageQuery): Promise<UsageOUTJSON> {
      if (workspace_id) await tenants.workspaces.get(scope.organization_id, workspace_id);
      // Usage that this server holds in memory belongs to the report; other servers' last second may be missing.
      await metering.flush();
      const days = resolveMonth(now(), month, year);
      const isOtherZone = api_zone === 'us' || api_zone === 'eu';
      const rows = isOtherZone
        ? []
        : await metering.usage(db, scope.organization_id, {
            from: days.first,
            to: days.last,
            groupBy: ['day', 'model', 'kind', 'workspace_id', 'key_id'],
            ...(workspace_id ? { only: { workspace_id } } : {}),
          });
      return {
        ...report(rows),
        libraries_api: { pages: NO_USAGE, tokens: NO_USAGE, audio_seconds: NO_USAGE },
        fine_tuning: { training: {}, storage: {} },
        vibe_usage: 0,
        vibe_code: report([]),
        chat: NO_USAGE,
        date: new Date(now()).toISOString(),
        previous_month: days.previous,
        next_month: days.next,
        start_date: `${days.first}T00:00:00Z`,
        end_date: `${days.last}T23:59:59Z`,
        currency,
        currency_symbol: symbolOf(currency),
        prices: priceList(prices()),
      };
    },
  };
}

/** The requested month, by default the current month and year. `previous` and `next` are `YYYY-MM`; days are UTC. */
export function resolveMonth(nowMs: number, month: string | null | undefined, year: string | null | undefined) {
  const today = new Date(nowMs);
  const wantedYear = year ? Number(year) : today.getUTCFullYear();
  const wantedMonth = month ? Number(month) - 1 : today.getUTCMonth();
  const day = (monthsLater: number, date: number) =>
    new Date(Date.UTC(wantedYear, wantedMonth + monthsLater, date)).toISOString().slice(0, 10);
  const next = day(1, 1).slice(0, 7);
  return {
    first: day(0, 1),
    last: day(1, 0),
    previous: day(-1, 1).slice(0, 7),
    next: next > today.toISOString().slice(0, 7) ? null : next,
  };
}

/** One row per section, model, side (input, output), day, workspace and key. */
function report(rows: UsageRow[]): Record<Section, ByModel> {
  const sections: Record<Section, ByModel> = {
    completion: { models: {} },
    ocr: { models: {} },
    connectors: { models: {} },
    audio: { models: {} },
    audio_characters: { models: {} },
  };
  for (const row of rows) {
    const section = SECTIONS[row.kind as UsageKind] ?? 'completion';
    const { models } = sections[section];
    const model = row.model ?? '';
    models[model] ??= {};
    const sides = models[model];
    const common = {
      timestamp: `${row.day}T00:00:00Z`,
      event_type: METRICS[section],
      billing_metric: model,
      kind: row.kind,
      workspace_id: row.workspace_id,
      api_key_id: row.key_id,
      api_zone: 'global',
      service_tier: 'standard',
    };
    sides.input ??= [];
    sides.input.push({
      ...common,
      billing_group: 'input',
      value: row.prompt_tokens,
      cached: row.cached_tokens,
      requests: row.requests,
      cost: fromMicros(row.cost_micros),
    });
    if (row.completion_tokens === 0) continue;
    sides.output ??= [];
    sides.output.push({ ...common, billing_group: 'output', value: row.completion_tokens });
  }
  return sections;
}

/** Per million tokens, as in the configuration. */
function priceList(prices: ReadonlyMap<string, Price>): NonNullable<UsageOUTJSON['prices']> {
  return [...prices].flatMap(([model, { prompt, completion }]) =>
    [
      { billing_group: 'input', price: prompt },
      { billing_group: 'output', price: completion },
    ].map((side) => ({
      event_type: 'api_tokens' as const,
      billing_metric: model,
      ...side,
      api_zone: 'global' as const,
      service_tier: 'standard' as const,
    })),
  );
}

/** `€` for EUR; the code itself for what has no sign. */
function symbolOf(currency: string): string {
  const parts = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
  return parts.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency;
}
