import { Gauge, type Registry } from 'prom-client';
import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import { QUARANTINE_TOPIC } from '../kit/tasks/index.ts';
import type { Quarantine } from '../operator/quarantine.ts';

/** Shows quarantined work in the metrics and writes it to the audit log. Returns what ends that. */
export function watchQuarantine(
  quarantine: Quarantine,
  { database, registry, log }: { database: Database; registry: Registry; log: Logger },
): () => Promise<void> {
  new Gauge({
    name: 'tramontane_quarantined_tasks',
    help: 'Stored work that runs no more because the server died with it three times, by queue',
    labelNames: ['queue'],
    // Every process reads the same table.
    aggregator: 'max',
    registers: [registry],
    async collect() {
      // Without its database a server still has its other metrics.
      const counts = await quarantine.count().catch(() => undefined);
      if (!counts) return;
      this.reset();
      for (const { queue, tasks } of counts) this.set({ queue }, tasks);
    },
  });
  let reporting = Promise.resolve();
  const report = () => {
    reporting = reporting
      .then(() => quarantine.report())
      .catch((error: unknown) => log.error({ err: error }, 'quarantined work could not be written to the audit log'));
  };
  const unlisten = database.wakeups.listen(QUARANTINE_TOPIC, report);
  // What a server found that ended before it could report.
  report();
  return async () => {
    unlisten();
    await reporting;
  };
}
