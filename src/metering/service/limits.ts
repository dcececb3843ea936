import type { AuditActor, AuditEntry, AuditService } from '../../audit/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { type Database, lockFor, type Signal, type Tx } from '../../kit/db/index.ts';
import { badRequest } from '../../kit/http/index.ts';
import { defaultLimits } from '../cache-limits.ts';
import type { LimitDefaults, LimitScope, Limits } from '../schema.ts';
import { deleteLimits, findLimits, updateLimits } from '../store/limits.ts';

const SMALLEST: Limits = { requests_per_second: 1, tokens_per_minute: 1, monthly_budget_micros: 0 };
const NAMES = ['requests_per_second', 'tokens_per_minute', 'monthly_budget_micros'] as const;

/** The caller has made sure that the scope belongs to the organization. What `limits` does not name stays as it is. */
export type LimitsChange = {
  organization_id: string;
  workspace_id?: string | null;
  scope: LimitScope;
  limits: Partial<Limits>;
  actor: AuditActor;
};

/** Whose limits, and who acts. */
export type LimitsRemoval = Omit<LimitsChange, 'limits'>;

export type LimitsChanger = {
  set(tx: Tx, change: LimitsChange): Promise<Limits>;
  /** Afterwards the defaults hold. False when the scope had no limits of its own. */
  clear(tx: Tx, removal: LimitsRemoval): Promise<boolean>;
};

type Deed = 'create' | 'update' | 'delete';

export function createLimitsChanger(ports: {
  kind: Database['kind'];
  signal: Signal;
  audit: AuditService;
  now: Clock;
  defaults: LimitDefaults;
}): LimitsChanger {
  const { kind, signal, audit, now, defaults } = ports;

  async function findForChange(tx: Tx, scope: LimitScope) {
    await lockFor(tx, kind, `limits:${scope.kind}:${scope.id}`);
    return findLimits(tx, scope);
  }

  async function announce(tx: Tx, entries: AuditEntry[]): Promise<void> {
    signal.raise(tx);
    for (const entry of entries) await audit.record(tx, entry);
  }

  return {
    async set(tx, change) {
      const { scope } = change;
      refuseNonsense(change.limits);
      const row = await findForChange(tx, scope);
      const before = pick(row ?? defaultLimits(defaults, scope.kind));
      const after = pick({ ...before, ...change.limits });
      await updateLimits(tx, { scope_kind: scope.kind, scope_id: scope.id, ...after, updated_at: isoMicros(now) });
      await announce(tx, describeChange(change, before, after, row ? 'update' : 'create'));
      return after;
    },
    async clear(tx, removal) {
      const row = await findForChange(tx, removal.scope);
      if (!row) return false;
      await deleteLimits(tx, removal.scope);
      const after = defaultLimits(defaults, removal.scope.kind);
      await announce(tx, describeChange(removal, pick(row), after, 'delete'));
      return true;
    },
  };
}

function refuseNonsense(limits: Partial<Limits>): void {
  for (const name of NAMES) {
    const value = limits[name] ?? null;
    const smallest = SMALLEST[name] ?? 0;
    if (value !== null && !(Number.isSafeInteger(value) && value >= smallest))
      throw badRequest(`${name} must be a whole number from ${smallest}, or null for no limit.`);
  }
}

function describeChange(change: LimitsRemoval, before: Limits, after: Limits, deed: Deed): AuditEntry[] {
  const { organization_id, workspace_id, actor, scope } = change;
  const base = { organization_id, workspace_id, actor };
  const target_metadata = { scope_kind: scope.kind, scope_id: scope.id };
  const changed = NAMES.filter((name) => before[name] !== after[name]);
  const budget = changed.filter((name) => name === 'monthly_budget_micros' && scope.kind !== 'key');
  const rules = changed.filter((name) => !budget.includes(name));
  const metadataOf = (names: typeof changed) =>
    Object.fromEntries(
      names.flatMap((name) => [
        [name, describe(after[name])],
        [`previous_${name}`, describe(before[name])],
      ]),
    );
  const entries: AuditEntry[] = [];
  if (budget.length > 0) {
    const words =
      scope.kind === 'organization'
        ? ({ event_type: 'billing.monthly_limit.updated', target_type: 'MONTHLY_LIMIT' } as const)
        : ({ event_type: 'billing.workspace_monthly_limit.updated', target_type: 'WORKSPACE_MONTHLY_LIMIT' } as const);
    entries.push({ ...base, ...words, event_metadata: metadataOf(budget), target_metadata });
  }
  // That a scope follows the defaults again is worth an entry even when they say the same.
  if (rules.length > 0 || (deed === 'delete' && entries.length === 0)) {
    const event_type = `rate_limit.rule.${deed}` as const;
    const event_metadata = metadataOf(rules);
    entries.push({ ...base, event_type, event_metadata, target_type: 'RATE_LIMIT_RULE', target_metadata });
  }
  return entries;
}

function describe(value: number | null): string {
  return value === null ? 'unlimited' : String(value);
}

export function pick({ requests_per_second, tokens_per_minute, monthly_budget_micros }: Limits): Limits {
  return { requests_per_second, tokens_per_minute, monthly_budget_micros };
}
