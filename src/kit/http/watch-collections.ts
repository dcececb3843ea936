import { constants, PerformanceObserver } from 'node:perf_hooks';
import { Histogram, type Registry } from 'prom-client';

const NAME = 'nodejs_gc_duration_seconds';
const HELP = 'Garbage collection duration by kind, one of major, minor, incremental or weakcb.';
const BUCKETS = [0.001, 0.01, 0.1, 1, 2, 5];
const MS_PER_SECOND = 1000;
/** Node takes a quarter of a millisecond to tell of a collection, and a busy server has fifty a second. */
const UNREAD_MS = 5 * 60 * 1000;

const KINDS: Record<number, string> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

type Collection = { duration: number; detail: { kind: number } };

/** In place of the library's histogram of the same name, which counts from the start on: counts while somebody reads it. */
export function watchCollections(registry: Registry): void {
  let unread: NodeJS.Timeout | undefined;
  const histogram = new Histogram({
    name: NAME,
    help: HELP,
    labelNames: ['kind'],
    buckets: BUCKETS,
    registers: [registry],
    collect() {
      if (unread) unread.refresh();
      else begin();
    },
  });
  const observer = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries() as unknown as Collection[]) {
      const kind = KINDS[detail.kind];
      if (kind !== undefined) histogram.observe({ kind }, duration / MS_PER_SECOND);
    }
  });

  function begin(): void {
    observer.observe({ entryTypes: ['gc'] });
    unread = setTimeout(() => {
      observer.disconnect();
      unread = undefined;
    }, UNREAD_MS).unref();
  }
}
