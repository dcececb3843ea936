import { Gauge, Histogram, type Registry } from 'prom-client';
import type { QueueStats, WatchQueue } from '../fair-queue/index.ts';

/** Shows a queue in the metrics. Queues of the same name are added up. */
export type QueueMetrics = (queue: string) => WatchQueue;

/** How many units of each queue wait and run, and how long they waited. */
export function createQueueMetrics(registry: Registry): QueueMetrics {
  const queues = new Map<string, (() => QueueStats)[]>();
  const gauge = (kind: keyof QueueStats, help: string) =>
    new Gauge({
      name: `tramontane_queue_${kind}`,
      help,
      labelNames: ['queue'],
      registers: [registry],
      collect() {
        for (const [queue, all] of queues)
          this.set(
            { queue },
            all.reduce((sum, read) => sum + read()[kind], 0),
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
  return (queue) => (stats) => {
    queues.set(queue, [...(queues.get(queue) ?? []), stats]);
    return (waitedMs) => waits.observe({ queue }, waitedMs / 1000);
  };
}
