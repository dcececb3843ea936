import type { Log } from '../definitions.ts';
import type { Report, ReportsRequest } from '../protocol.ts';
import { type Api, Refused } from '../worker/api.ts';
import { createBackoff } from '../worker/backoff.ts';

export type Publisher = {
  add(report: Report): void;
  /** Resolves when the server has all reports so far, or after `waitMs`. */
  delivered(waitMs: number): Promise<void>;
};

const BATCH_MAX = 200;
/** If the server is unreachable for long, the oldest reports are dropped; it reads the ends of runs from Temporal. */
const KEPT_MAX = 50_000;

/** Sends reports in order, one batch at a time. Failed batches are resent; the server deduplicates reports. */
export function createPublisher(given: {
  api: Api;
  identity: Pick<ReportsRequest, 'deployment_name' | 'worker_name'>;
  log: Log;
  signal: AbortSignal;
}): Publisher {
  const { api, identity, log, signal } = given;
  const kept: Report[] = [];
  let added = 0;
  let gone = 0;
  let isSending = false;
  const waiting = new Set<{ upTo: number; resolve(): void }>();

  async function send(): Promise<void> {
    const backoff = createBackoff(2000);
    while (kept.length > 0 && !signal.aborted) {
      const reports = kept.slice(0, BATCH_MAX);
      const request: ReportsRequest = { ...identity, reports };
      try {
        await api.post('/v1/workflows/workers/reports', JSON.stringify(request), { signal });
        backoff.reset();
      } catch (error) {
        if (!(error instanceof Refused)) {
          await backoff.wait(signal);
          continue;
        }
        log.warn(`Events were refused. ${error.message}`);
      }
      drop(reports.length);
    }
  }

  function pump(): void {
    if (isSending || kept.length === 0 || signal.aborted) return;
    isSending = true;
    // Batches reports of the same tick.
    void Promise.resolve()
      .then(send)
      .finally(() => {
        isSending = false;
        pump();
      });
  }

  function drop(count: number): void {
    kept.splice(0, count);
    gone += count;
    for (const waiter of waiting) if (gone >= waiter.upTo) waiter.resolve();
  }

  return {
    add(report) {
      if (kept.length >= KEPT_MAX) drop(1);
      kept.push(report);
      added++;
      pump();
    },
    delivered(waitMs) {
      if (gone >= added) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiter = { upTo: added, resolve };
      waiting.add(waiter);
      const timer = setTimeout(resolve, waitMs);
      return promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(waiter);
      });
    },
  };
}
