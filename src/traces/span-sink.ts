import { AsyncLocalStorage } from 'node:async_hooks';
import { Counter, type Registry } from 'prom-client';
import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import type { UsageRecord } from '../metering/index.ts';
import type { Span } from './schema/span.ts';
import { spanWriter } from './store/spans.ts';
import { toSpan } from './to-span.ts';

const FLUSH_MS = 1000;
/** As long as the ledger's: about three milliseconds of the event loop on SQLite. */
const TRANSACTION_SPANS = 250;
const QUEUE_SPANS_MAX = 20_000;

/** A span, or what one is made of when it is written. */
type Waiting = Span | { record: UsageRecord; costMicros: number };

export type SpanSink = {
  /** Synchronous and cheap; a full queue drops it. */
  record(record: UsageRecord, costMicros: number): void;
  /** Returns how many were taken. */
  add(spans: readonly Span[]): number;
  /** Resolves when everything so far is written or given up. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

/** Spans wait in memory and are written in batches. What cannot be written is dropped and counted: no request waits for it. */
export function createSpanSink(options: {
  database: Database;
  log: Logger;
  registry?: Registry | undefined;
}): SpanSink {
  const { database, log, registry } = options;
  const write = spanWriter(database.kind);
  // A flush joins neither the transaction nor the idempotency claim of the request that causes it.
  const outside = AsyncLocalStorage.snapshot();
  const dropped = new Counter({
    name: 'spans_dropped_total',
    help: 'Spans that were not stored because the queue was full or the database could not be written',
    registers: registry ? [registry] : [],
  });
  let queue: Waiting[] = [];
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const waiting = queue;
      queue = [];
      for (let at = 0; at < waiting.length; at += TRANSACTION_SPANS)
        await store(waiting.slice(at, at + TRANSACTION_SPANS));
    }
  }

  async function store(waiting: readonly Waiting[]): Promise<void> {
    const spans = waiting.map((one) => ('record' in one ? toSpan(one.record, one.costMicros) : one));
    try {
      // A crash may lose the last second of them, so nobody waits for the disk.
      await database.commit((tx) => write(tx, spans));
      isFailing = false;
    } catch (error) {
      dropped.inc(spans.length);
      if (!isFailing)
        log.warn({ err: error }, 'spans could not be stored; they are dropped until the database is back');
      isFailing = true;
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    running ??= outside(drain).finally(() => {
      running = undefined;
    });
    return running;
  }

  function schedule(): void {
    timer ??= outside(() => setTimeout(() => void flush(), FLUSH_MS).unref());
  }

  return {
    record(record, costMicros) {
      if (queue.length >= QUEUE_SPANS_MAX) return dropped.inc();
      queue.push({ record, costMicros });
      schedule();
    },
    add(spans) {
      const taken = Math.min(spans.length, Math.max(0, QUEUE_SPANS_MAX - queue.length));
      queue.push(...spans.slice(0, taken));
      if (taken < spans.length) dropped.inc(spans.length - taken);
      schedule();
      return taken;
    },
    flush,
    async stop() {
      await flush();
      await flush();
      clearTimeout(timer);
    },
  };
}
