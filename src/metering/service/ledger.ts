import { AsyncLocalStorage } from 'node:async_hooks';
import { Counter, type Registry } from 'prom-client';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Database } from '../../kit/db/index.ts';
import { createBoundedBuffer } from '../bounded-buffer.ts';
import { costMicrosOf } from '../money.ts';
import { type LimitScope, limitScopeId, type Prices, type Usage } from '../schema.ts';
import { usageRecordWriter } from '../store/records.ts';
import type { UsageRecordRow } from '../store/tables.ts';
import { addToDaily, listKnownIds } from '../store/usage.ts';
import { totalByDay } from '../total-by-day.ts';

const FLUSH_MS = 1000;
export type LedgerSizes = {
  /** So many are written at once; fewer wait for a second. */
  flush: number;
  /**
   * SQLite blocks the event loop for a transaction: this many rows take about three milliseconds.
   * Each transaction writes whole pages, so smaller ones would cost more per row.
   */
  transaction: number;
  bufferMax: number;
};
const SIZES: LedgerSizes = { flush: 1000, transaction: 500, bufferMax: 100_000 };
const COUNT_MAX = 1_000_000_000;
const COST_MICROS_MAX = 100_000_000_000;
/** Tolerance for rounding errors: 0.1 * 30 is more than 3. */
const ROUNDING = 1e-6;

type Entry = { id?: string; usage: Usage; costMicros: number; atMs: number };

export type LedgerOptions = {
  database: Database;
  now: Clock;
  log: Logger;
  prices?: Prices | undefined;
  registry?: Registry | undefined;
  /** In records. */
  sizes?: LedgerSizes | undefined;
};

export type Ledger = {
  /** Returns the cost of the request, in millionths of the currency. */
  record(usage: Usage): number;
  /** Resolves when everything recorded so far is in the database; a failed write rejects and keeps the records. */
  flush(): Promise<void>;
  stop(): Promise<void>;
  /** The cost recorded since then that is not in the database, or not known to be. */
  unflushedMicros(scope: LimitScope, sinceMs: number): number;
  /** Waits for the write that is under way, and returns how many there were. */
  awaitWrite(): Promise<number>;
  /** The same count now; undefined while a write is under way, which a query may or may not see. */
  quietWrites(): number | undefined;
};

/** Buffers usage in memory and writes it in batches, so no request waits. A crash loses at most the last second. */
export function createLedger({ database, now, log, prices, registry, sizes = SIZES }: LedgerOptions): Ledger {
  // The flush must not join the transaction or the idempotency claim of the request that triggers it.
  const outside = AsyncLocalStorage.snapshot();
  const insertRecords = usageRecordWriter(database.kind);
  const dropped = new Counter({
    name: 'usage_records_dropped_total',
    help: 'Usage records lost because the database could not be written for too long',
    registers: registry ? [registry] : [],
  });
  let droppedUnlogged = 0;
  const buffer = createBoundedBuffer<Entry>(sizes.bufferMax, (count) => {
    dropped.inc(count);
    droppedUnlogged += count;
  });
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;
  let writing: Entry[] = [];
  let writes = 0;

  /** Writes what is buffered now. Later rows wait for the next flush, or a steady load would cause tiny transactions. */
  async function drain(): Promise<void> {
    try {
      for (let left = buffer.length(); left > 0; left -= sizes.transaction)
        await write(buffer.take(Math.min(left, sizes.transaction)));
      isFailing = false;
    } finally {
      running = undefined;
      logDropped();
    }
  }

  async function write(entries: Entry[]): Promise<void> {
    const tried = entries.flatMap(({ id }) => id ?? []);
    const rows = entries.map(toRow);
    writing = entries;
    try {
      await database.transaction(async (tx) => {
        const known = new Set(tried.length > 0 ? await listKnownIds(tx, tried) : []);
        const missing = known.size > 0 ? rows.filter(({ id }) => !known.has(id)) : rows;
        await insertRecords(tx, missing);
        await addToDaily(tx, database.kind, totalByDay(missing));
      });
    } catch (error) {
      isFailing = true;
      buffer.putBack(entries);
      log.warn({ err: error, rows: buffer.length() }, 'usage could not be written; it is kept and retried');
      schedule();
      throw error;
    } finally {
      writing = [];
      writes++;
    }
  }

  function logDropped(): void {
    if (droppedUnlogged === 0) return;
    log.warn({ rows: droppedUnlogged }, 'usage records were dropped: the database could not be written for too long');
    droppedUnlogged = 0;
  }

  function flush(): Promise<void> {
    if (!running) return start();
    following ??= running
      .finally(() => {
        following = undefined;
      })
      .then(start);
    return following;
  }

  function start(): Promise<void> {
    if (running) return running;
    if (buffer.length() === 0) return Promise.resolve();
    clearTimeout(timer);
    timer = undefined;
    running = outside(drain);
    return running;
  }

  // A failure is logged and rescheduled by `write`.
  const flushQuietly = () => void flush().catch(() => undefined);

  function schedule(): void {
    if (timer) return;
    timer = outside(() =>
      setTimeout(() => {
        // Reset even while a slow flush runs, or no timer would ever be set again.
        timer = undefined;
        flushQuietly();
      }, FLUSH_MS),
    );
    timer.unref();
  }

  return {
    record(usage) {
      const costMicros = toCount(usage.costMicros ?? costOf(usage, prices), COST_MICROS_MAX);
      buffer.push({ usage, costMicros, atMs: now() });
      if (buffer.length() >= sizes.flush && !running && !isFailing) flushQuietly();
      else schedule();
      return costMicros;
    },
    flush,
    async stop() {
      await flush().catch(() => undefined);
      // Again, for records that arrived while the first flush was ending.
      await flush().catch(() => undefined);
      clearTimeout(timer);
      timer = undefined;
      if (buffer.length() > 0)
        log.error({ rows: buffer.length() }, 'usage was lost: it could not be written at shutdown');
    },
    unflushedMicros(scope, sinceMs) {
      let micros = 0;
      for (const entries of [writing, buffer.items()]) {
        for (const { usage, costMicros, atMs } of entries) {
          if (atMs >= sinceMs && limitScopeId(usage.scope, scope.kind) === scope.id) micros += costMicros;
        }
      }
      return micros;
    },
    async awaitWrite() {
      await running?.catch(() => undefined);
      return writes;
    },
    quietWrites: () => (running ? undefined : writes),
  };
}

function toRow(entry: Entry): UsageRecordRow {
  const { usage, costMicros, atMs } = entry;
  const { organization_id, workspace_id, key_id, user_id } = usage.scope;
  // A retried row keeps its id, so that it is not counted twice.
  entry.id ??= uuidv7(atMs);
  return {
    id: entry.id,
    organization_id,
    workspace_id,
    key_id,
    user_id,
    request_id: toStoredText(usage.requestId),
    model: toStoredText(usage.model),
    kind: usage.kind,
    prompt_tokens: toCount(usage.promptTokens),
    completion_tokens: toCount(usage.completionTokens),
    cached_tokens: toCount(usage.cachedTokens ?? 0),
    cost_micros: costMicros,
    status: toCount(usage.status),
    latency_ms: toCount(usage.latencyMs),
    created_at: isoMicros(() => atMs),
  };
}

// A row that the database refuses would block all later ones, so values are made valid here. A model server may report
// any number: the bounds keep the sums of a day of such requests within what both databases and a number can hold.
function toCount(value: number, max = COUNT_MAX): number {
  return Number.isNaN(value) ? 0 : Math.min(max, Math.max(0, Math.round(value)));
}

function toStoredText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}

/** Rounded up: many requests that each cost less than half a millionth would be free. */
function costOf({ model, promptTokens, completionTokens }: Usage, prices: Prices | undefined): number {
  const price = prices?.(model);
  return price ? Math.ceil(costMicrosOf(price, toCount(promptTokens), toCount(completionTokens)) - ROUNDING) : 0;
}
