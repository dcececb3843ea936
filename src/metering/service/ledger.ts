import { AsyncLocalStorage } from 'node:async_hooks';
import { Counter, type Registry } from 'prom-client';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Database } from '../../kit/db/index.ts';
import { createBoundedBuffer } from '../bounded-buffer.ts';
import { type LimitScope, limitScopeId, type Prices, type Usage } from '../schema.ts';
import { insertUsageRecords } from '../store/records.ts';
import type { UsageRecordRow } from '../store/tables.ts';
import { addToDaily, listKnownIds } from '../store/usage.ts';
import { totalByDay } from '../total-by-day.ts';

const FLUSH_MS = 1000;
const FLUSH_ROWS = 1000;
// SQLite writes a transaction without leaving the turn of the event loop: this many take about three milliseconds. Each
// transaction writes whole pages, so fewer would cost more for each row.
const TRANSACTION_ROWS = 500;
export const BUFFER_ROWS_MAX = 100_000;

type Entry = { id?: string; usage: Usage; costMicros: number; atMs: number };

export type LedgerOptions = {
  database: Database;
  now: Clock;
  log: Logger;
  prices?: Prices | undefined;
  registry?: Registry | undefined;
};

export type Ledger = {
  /** Returns what the request cost, in millionths of the currency. */
  record(usage: Usage): number;
  /** Resolves when everything recorded so far is in the database; rejects when it could not be written, and keeps it. */
  flush(): Promise<void>;
  stop(): Promise<void>;
  /** What was recorded here since then and is not yet on its way to the database. */
  unflushedMicros(scope: LimitScope, sinceMs: number): number;
};

/**
 * Usage is kept in memory and written in batches, so no request waits for it. A crash loses what was not
 * flushed, a second at most; what was flushed is exact, in the records and in the daily totals alike.
 */
export function createLedger({ database, now, log, prices, registry }: LedgerOptions): Ledger {
  // A request may run inside a transaction or with an idempotency key to claim; the flush must see neither.
  const outside = AsyncLocalStorage.snapshot();
  const dropped = new Counter({
    name: 'usage_records_dropped_total',
    help: 'Usage records lost because the database could not be written for too long',
    registers: registry ? [registry] : [],
  });
  let droppedUnsaid = 0;
  const buffer = createBoundedBuffer<Entry>(BUFFER_ROWS_MAX, (count) => {
    dropped.inc(count);
    droppedUnsaid += count;
  });
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;

  /** What comes meanwhile waits for its own turn: to follow a steady load would take a transaction for every few rows. */
  async function drain(): Promise<void> {
    try {
      for (let rows = buffer.length(); rows > 0; rows -= TRANSACTION_ROWS)
        await write(buffer.take(Math.min(rows, TRANSACTION_ROWS)));
      isFailing = false;
    } finally {
      running = undefined;
      sayDropped();
    }
  }

  async function write(entries: Entry[]): Promise<void> {
    const tried = entries.flatMap(({ id }) => id ?? []);
    const rows = entries.map(toRow);
    try {
      await database.transaction(async (tx) => {
        const known = new Set(tried.length > 0 ? await listKnownIds(tx, tried) : []);
        const missing = known.size > 0 ? rows.filter(({ id }) => !known.has(id)) : rows;
        await insertUsageRecords(tx, database.kind, missing);
        await addToDaily(tx, database.kind, totalByDay(missing));
      });
    } catch (error) {
      isFailing = true;
      buffer.putBack(entries);
      log.warn({ err: error, rows: buffer.length() }, 'usage could not be written; it is kept and tried again');
      schedule();
      throw error;
    }
  }

  function sayDropped(): void {
    if (droppedUnsaid === 0) return;
    log.warn({ rows: droppedUnsaid }, 'usage records were dropped: the database could not be written for too long');
    droppedUnsaid = 0;
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

  // The failure has been logged, and the timer is set again.
  const flushQuietly = () => void flush().catch(() => undefined);

  function schedule(): void {
    if (timer) return;
    timer = outside(() =>
      setTimeout(() => {
        // Also when a slow flush still runs: a timer that has gone off and is kept would be the last one.
        timer = undefined;
        flushQuietly();
      }, FLUSH_MS),
    );
    timer.unref();
  }

  return {
    record(usage) {
      const costMicros = toCount(usage.costMicros ?? costOf(usage, prices));
      buffer.push({ usage, costMicros, atMs: now() });
      if (buffer.length() >= FLUSH_ROWS && !running && !isFailing) flushQuietly();
      else schedule();
      return costMicros;
    },
    flush,
    async stop() {
      await flush().catch(() => undefined);
      // What came while a flush was ending.
      await flush().catch(() => undefined);
      clearTimeout(timer);
      timer = undefined;
      if (buffer.length() > 0)
        log.error({ rows: buffer.length() }, 'usage was lost: it could not be written at the stop');
    },
    unflushedMicros(scope, sinceMs) {
      let micros = 0;
      for (const { usage, costMicros, atMs } of buffer.items()) {
        if (atMs >= sinceMs && limitScopeId(usage.scope, scope.kind) === scope.id) micros += costMicros;
      }
      return micros;
    },
  };
}

function toRow(entry: Entry): UsageRecordRow {
  const { usage, costMicros, atMs } = entry;
  const { organization_id, workspace_id, key_id, user_id } = usage.scope;
  // A row that is tried again has the id it had, which is how the database knows it.
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

// One row that PostgreSQL refuses would hold up all that follow, so nothing of the kind gets in.
function toCount(value: number): number {
  return Number.isFinite(value) ? Math.max(0, Math.round(value)) : 0;
}

function toStoredText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}

// A price per million tokens in the currency is a price per token in its millionths.
function costOf({ model, promptTokens, completionTokens }: Usage, prices: Prices | undefined): number {
  const price = prices?.(model);
  return price ? promptTokens * price.prompt + completionTokens * price.completion : 0;
}
