import { setImmediate } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { AuditService } from '../../audit/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import { createSignal, type Database, type Db } from '../../kit/db/index.ts';
import { createLimitCache } from '../cache-limits.ts';
import { monthOf } from '../calendar.ts';
import type { LimitDefaults, LimitScope, ModelLimits, Payer, Prices, Usage, UsageQuery, UsageRow } from '../schema.ts';
import { deleteIdleBuckets } from '../store/buckets.ts';
import { measureStored } from '../store/stored-bytes.ts';
import { deleteUsageRecordsBefore, findSpentMicros, listUsage } from '../store/usage.ts';
import { createAdmission, type Reservation, type ReserveRequest } from './admission.ts';
import { createBudgets } from './budgets.ts';
import { createLedger, type LedgerSizes } from './ledger.ts';
import { createLimitService, type LimitService } from './limits.ts';
import { createStorage, type Storage } from './storage.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const RETENTION_MS = 90 * DAY_MS;
const PRUNE_ROWS = 500;

export type MeteringOptions = {
  database: Database;
  now: Clock;
  log: Logger;
  audit: AuditService;
  prices?: Prices;
  /** Of a model by its id, for all callers together. */
  modelLimits?: (model: string) => ModelLimits | undefined;
  /** For scopes without limits of their own; by default unlimited. */
  defaults?: LimitDefaults;
  /** Where `usage_records_dropped_total` is exported. */
  registry?: Registry;
  ledgerSizes?: LedgerSizes;
};

export type Metering = {
  /** Admits or throws 429. Synchronous, without a query, when no limit is set or a lease has enough left. */
  reserve(payer: Payer, request: ReserveRequest): Reservation | Promise<Reservation>;
  /** After the request: refunds what it did not use, or books the excess as a debt. */
  settle(reservation: Reservation, actualTokens: number): void;
  /** Returns its cost, in millionths of the currency. */
  record(usage: Usage): number;
  flush(): Promise<void>;
  usage(db: Db, organizationId: string, query: UsageQuery): Promise<UsageRow[]>;
  /** Millionths of the currency in the current month, without unflushed usage. */
  spent(db: Db, scope: LimitScope): Promise<number>;
  setLimits: LimitService['set'];
  clearLimits: LimitService['clear'];
  getLimits: LimitService['get'];
  listLimitsOf: LimitService['listOf'];
  listOwnLimits: LimitService['listOwn'];
  storage: Storage;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Deletes records older than this (by default 90 days) and idle buckets; the daily totals stay. */
  prune(beforeIso?: string): Promise<number>;
};

export function createMetering(options: MeteringOptions): Metering {
  const { database, now, log, audit, prices, modelLimits, defaults = {}, registry, ledgerSizes: sizes } = options;
  const signal = createSignal(database, 'limits', now);
  const cache = createLimitCache({ database, signal, now, defaults });
  const ledger = createLedger({ database, now, log, prices, registry, sizes });
  const budgets = createBudgets({ database, ledger, now });
  const limits = createLimitService({ kind: database.kind, signal, audit, now, defaults });
  const admission = createAdmission({ database, now, limits: cache, budgets, prices, modelLimits });

  return {
    reserve: admission.reserve,
    settle: admission.settle,
    record(usage) {
      const costMicros = ledger.record(usage);
      budgets.add(usage.scope, costMicros);
      return costMicros;
    },
    flush: ledger.flush,
    usage: listUsage,
    spent: (db, scope) => findSpentMicros(db, scope, monthOf(now())),
    setLimits: limits.set,
    clearLimits: limits.clear,
    getLimits: limits.get,
    listLimitsOf: limits.listOf,
    listOwnLimits: limits.listOwn,
    storage: createStorage({ limits: cache, measure: (scope) => measureStored(database, scope) }),
    async start() {
      await signal.start();
      await cache.load();
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
        // SQLite blocks the event loop, so let requests run in between.
        await setImmediate();
      }
      await deleteIdleBuckets(database.db, now() - DAY_MS);
      return deleted;
    },
  };
}
