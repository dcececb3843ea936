import { Gauge, Histogram, type Registry } from 'prom-client';
import type { QueueStats, QueueWaits, WatchQueue } from '../fair-queue/index.ts';

/** Shows a queue in the metrics. Queues of the same name are added up. */
export type QueueMetrics = (queue: string) => WatchQueue;

/** A queue in which something runs or waits. */
export type QueueReport = { queue: string } & QueueStats & QueueWaits;

/** How many units of each queue wait and run, of how many tenants, and how long they waited. */
export function createQueueMetrics(registry: Registry): { watch: QueueMetrics; report(): QueueReport[] } {
  const queues = new Map<string, (() => QueueStats & QueueWaits)[]>();

  function read(queue: string): QueueReport {
    const sum: QueueReport = { queue, running: 0, waiting: 0, tenants: 0, oldestMs: 0 };
    for (const readOne of queues.get(queue) ?? []) {
      const { running, waiting, tenants, oldestMs } = readOne();
      sum.running += running;
      sum.waiting += waiting;
      // The same tenant may wait in several queues of one name.
      sum.tenants = Math.max(sum.tenants, tenants);
      sum.oldestMs = Math.max(sum.oldestMs, oldestMs);
    }
    return sum;
  }

  const gauge = (
    name: string,
    help: string,
    pick: (report: QueueReport) => number,
    aggregator: 'sum' | 'max' = 'sum',
  ) =>
    new Gauge({
      aggregator,
      name: `tramontane_queue_${name}`,
      help,
      labelNames: ['queue'],
      registers: [registry],
      collect() {
        for (const queue of queues.keys()) this.set({ queue }, pick(read(queue)));
      },
    });
  gauge('running', 'Units of work that run now, by queue', ({ running }) => running);
  gauge('waiting', 'Units of work that wait for their turn, by queue', ({ waiting }) => waiting);
  gauge('waiting_tenants', 'Organizations whose work waits for its turn, by queue', ({ tenants }) => tenants, 'max');
  gauge(
    'oldest_wait_seconds',
    'How long the first waiting unit of work has waited, by queue',
    ({ oldestMs }) => oldestMs / 1000,
    'max',
  );
  const waits = new Histogram({
    name: 'tramontane_queue_wait_seconds',
    help: 'How long a unit of work waited for its turn, by queue',
    labelNames: ['queue'],
    buckets: [0.01, 0.1, 1, 5, 15, 60, 300],
    registers: [registry],
  });
  return {
    watch: (queue) => (stats, waiting) => {
      queues.set(queue, [...(queues.get(queue) ?? []), () => ({ ...stats(), ...waiting() })]);
      return (waitedMs) => waits.observe({ queue }, waitedMs / 1000);
    },
    report: () => [...queues.keys()].map(read).filter(({ running, waiting }) => running + waiting > 0),
  };
}
