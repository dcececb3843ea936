import { setImmediate } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { AuditService } from '../../audit/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import { createSignal, type Database, type Db, type Tx } from '../../kit/db/index.ts';
import { createLimitCache, defaultLimits } from '../cache-limits.ts';
import { monthOf } from '../calendar.ts';
import type {
  LimitDefaults,
  LimitScope,
  Limits,
  OwnLimits,
  Payer,
  Prices,
  Usage,
  UsageQuery,
  UsageRow,
} from '../schema.ts';
import { deleteIdleBuckets } from '../store/buckets.ts';
import { findLimits, listLimits, listLimitsIn } from '../store/limits.ts';
import { deleteUsageRecordsBefore, findSpentMicros, listUsage } from '../store/usage.ts';
import { createAdmission, type Reservation, type ReserveRequest } from './admission.ts';
import { createBudgets } from './budgets.ts';
import { createLedger } from './ledger.ts';
import { createLimitsChanger, type LimitsChange, type LimitsRemoval, pick } from './limits.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const RETENTION_MS = 90 * DAY_MS;
const PRUNE_ROWS = 500;

export type MeteringOptions = {
  database: Database;
  now: Clock;
  log: Logger;
  audit: AuditService;
  prices?: Prices;
  /** For scopes that have no row of their own; left out, they are unlimited. */
  defaults?: LimitDefaults;
  /** Where `usage_records_dropped_total` is exported. */
  registry?: Registry;
};

export type Metering = {
  /** Admits or throws 429. Synchronous, and without a query, when no limit is set or a lease is at hand. */
  reserve(payer: Payer, request: ReserveRequest): Reservation | Promise<Reservation>;
  /** After the request: refunds what it did not use, or books the rest as a debt. */
  settle(reservation: Reservation, actualTokens: number): void;
  record(usage: Usage): void;
  flush(): Promise<void>;
  usage(db: Db, organizationId: string, query: UsageQuery): Promise<UsageRow[]>;
  /** Millionths of the currency since the month began, as far as they are flushed. */
  spent(db: Db, scope: LimitScope): Promise<number>;
  setLimits(tx: Tx, change: LimitsChange): Promise<Limits>;
  /** The scope follows the defaults again. False when it did already. */
  clearLimits(tx: Tx, removal: LimitsRemoval): Promise<boolean>;
  /** What applies to the scope itself: its own row or the defaults. */
  getLimits(db: Db, scope: LimitScope): Promise<Limits>;
  /** The same for several scopes of one kind, in their order. */
  listLimitsOf(db: Db, kind: LimitScope['kind'], ids: readonly string[]): Promise<Limits[]>;
  /** Every scope with a row of its own. */
  listOwnLimits(db: Db): Promise<OwnLimits[]>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Deletes records older than that (90 days ago, unless told) and forgets idle buckets; the daily totals stay. */
  prune(beforeIso?: string): Promise<number>;
};

export function createMetering(options: MeteringOptions): Metering {
  const { database, now, log, audit, prices, defaults = {}, registry } = options;
  const signal = createSignal(database, 'limits', now);
  const limits = createLimitCache({ database, signal, now, defaults });
  const ledger = createLedger({ database, now, log, prices, registry });
  const budgets = createBudgets({ database, ledger, now });
  const changer = createLimitsChanger({ kind: database.kind, signal, audit, now, defaults });
  const admission = createAdmission({ database, now, limits, budgets, prices });

  return {
    reserve: admission.reserve,
    settle: admission.settle,
    record: (usage) => budgets.add(usage.scope, ledger.record(usage)),
    flush: ledger.flush,
    usage: listUsage,
    spent: (db, scope) => findSpentMicros(db, scope, monthOf(now())),
    setLimits: changer.set,
    clearLimits: changer.clear,
    getLimits: async (db, scope) => pick((await findLimits(db, scope)) ?? defaultLimits(defaults, scope.kind)),
    async listLimitsOf(db, kind, ids) {
      const own = new Map((await listLimitsIn(db, kind, ids)).map((row) => [row.scope_id, row]));
      return ids.map((id) => pick(own.get(id) ?? defaultLimits(defaults, kind)));
    },
    listOwnLimits: async (db) =>
      (await listLimits(db)).map((row) => ({ kind: row.scope_kind, id: row.scope_id, ...pick(row) })),
    async start() {
      await signal.start();
      await limits.load();
      admission.start();
    },
    async stop() {
      await signal.stop();
      await admission.stop();
      await ledger.stop();
    },
    async prune(beforeIso = isoMicros(() => now() - RETENTION_MS)) {
      let deleted = 0;
      for (let count = PRUNE_ROWS; count === PRUNE_ROWS; deleted += count) {
        count = await deleteUsageRecordsBefore(database.db, beforeIso, PRUNE_ROWS);
        // SQLite answers within the turn; requests must get theirs in between.
        await setImmediate();
      }
      await deleteIdleBuckets(database.db, now() - DAY_MS);
      return deleted;
    },
  };
}
