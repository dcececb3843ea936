import type { AuditActor, AuditEntry, AuditService } from '../../audit/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { type Database, type Db, lockFor, type Signal, type Tx } from '../../kit/db/index.ts';
import { defaultLimits } from '../cache-limits.ts';
import { meteringErrors } from '../errors.ts';
import type { LimitDefaults, LimitScope, Limits, OwnLimits } from '../schema.ts';
import { deleteLimits, findLimits, listLimits, listLimitsIn, updateLimits } from '../store/limits.ts';

const MINIMUM = { requests_per_second: 1, tokens_per_minute: 1, monthly_budget_micros: 0, storage_bytes: 0 };
const NAMES = ['requests_per_second', 'tokens_per_minute', 'monthly_budget_micros', 'storage_bytes'] as const;

/** The caller must check that the scope belongs to the organization. Limits that are not named stay unchanged. */
export type LimitsChange = {
  organization_id: string;
  workspace_id?: string | null;
  scope: LimitScope;
  limits: Partial<Limits>;
  actor: AuditActor;
};

/** `keepsStorage`: the storage limit stays, because only the operator may change it. */
export type LimitsRemoval = Omit<LimitsChange, 'limits'> & { keepsStorage?: boolean };

export type LimitService = {
  set(tx: Tx, change: LimitsChange): Promise<Limits>;
  /** Afterwards the defaults apply. False when the scope had no limits of its own. */
  clear(tx: Tx, removal: LimitsRemoval): Promise<boolean>;
  /** The scope's own limits or the defaults. */
  get(db: Db, scope: LimitScope): Promise<Limits>;
  /** The same for several scopes of one kind, in the given order. */
  listOf(db: Db, kind: LimitScope['kind'], ids: readonly string[]): Promise<Limits[]>;
  /** All scopes that have limits of their own. */
  listOwn(db: Db): Promise<OwnLimits[]>;
};

type Operation = 'create' | 'update' | 'delete';

export function createLimitService(ports: {
  kind: Database['kind'];
  signal: Signal;
  audit: AuditService;
  now: Clock;
  defaults: LimitDefaults;
}): LimitService {
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
      checkLimits(change.limits);
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
      const { scope, keepsStorage } = removal;
      const usual = defaultLimits(defaults, scope.kind);
      const after = keepsStorage ? { ...usual, storage_bytes: row.storage_bytes } : usual;
      if (after.storage_bytes === usual.storage_bytes) await deleteLimits(tx, scope);
      else await updateLimits(tx, { scope_kind: scope.kind, scope_id: scope.id, ...after, updated_at: isoMicros(now) });
      await announce(tx, describeChange(removal, pick(row), after, 'delete'));
      return true;
    },
    get: async (db, scope) => pick((await findLimits(db, scope)) ?? defaultLimits(defaults, scope.kind)),
    async listOf(db, kind, ids) {
      const own = new Map((await listLimitsIn(db, kind, ids)).map((row) => [row.scope_id, row]));
      return ids.map((id) => pick(own.get(id) ?? defaultLimits(defaults, kind)));
    },
    listOwn: async (db) =>
      (await listLimits(db)).map((row) => ({ kind: row.scope_kind, id: row.scope_id, ...pick(row) })),
  };
}

function checkLimits(limits: Partial<Limits>): void {
  for (const name of NAMES) {
    const value = limits[name] ?? null;
    if (value !== null && !(Number.isSafeInteger(value) && value >= MINIMUM[name]))
      throw meteringErrors.limit_invalid(name, MINIMUM[name]);
  }
}

function describeChange(change: LimitsRemoval, before: Limits, after: Limits, operation: Operation): AuditEntry[] {
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
    const event =
      scope.kind === 'organization'
        ? ({ event_type: 'billing.monthly_limit.updated', target_type: 'MONTHLY_LIMIT' } as const)
        : ({ event_type: 'billing.workspace_monthly_limit.updated', target_type: 'WORKSPACE_MONTHLY_LIMIT' } as const);
    entries.push({ ...base, ...event, event_metadata: metadataOf(budget), target_metadata });
  }
  // Clearing limits is recorded even when the defaults are the same.
  if (rules.length > 0 || (operation === 'delete' && entries.length === 0)) {
    const event_type = `rate_limit.rule.${operation}` as const;
    const event_metadata = metadataOf(rules);
    entries.push({ ...base, event_type, event_metadata, target_type: 'RATE_LIMIT_RULE', target_metadata });
  }
  return entries;
}

function describe(value: number | null): string {
  return value === null ? 'unlimited' : String(value);
}

function pick({ requests_per_second, tokens_per_minute, monthly_budget_micros, storage_bytes }: Limits): Limits {
  return { requests_per_second, tokens_per_minute, monthly_budget_micros, storage_bytes };
}
