import { Gauge, Histogram, type Registry } from 'prom-client';
import type { FairQueue } from '../fair-queue/index.ts';

/** Shows a queue in the metrics; the result notes how long a unit has waited. */
export type WatchQueue = (name: string, stats: FairQueue['stats']) => (waitedMs: number) => void;

/** How many units of each queue wait and run, and how long they waited. Queues of the same name are one. */
export function createQueueMetrics(registry: Registry): WatchQueue {
  const queues = new Map<string, FairQueue['stats'][]>();
  const gauge = (kind: 'running' | 'waiting', help: string) =>
    new Gauge({
      name: `tramontane_queue_${kind}`,
      help,
      labelNames: ['queue'],
      registers: [registry],
      collect() {
        for (const [queue, stats] of queues)
          this.set(
            { queue },
            stats.reduce((sum, read) => sum + read()[kind], 0),
          );
      },
    });
  gauge('running', 'Units of work that run now, by queue');
  gauge('waiting', 'Units of work that wait for their turn, by queue');
  const waits = new Histogram({
    name: 'tramontane_queue_wait_seconds',
    help: 'How long a unit of work waited for its turn, by queue',
    labelNames: ['queue'],
    buckets: [0.01, 0.1, 1, 5, 15, 60, 300],
    registers: [registry],
  });
  return (name, stats) => {
    queues.set(name, [...(queues.get(name) ?? []), stats]);
    return (waitedMs) => waits.observe({ queue: name }, waitedMs / 1000);
  };
}
