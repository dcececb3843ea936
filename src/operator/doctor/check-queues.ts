import { type Check, ok, warn } from './check.ts';
import { askOurServer } from './check-port.ts';
import { readGauge } from './read-gauge.ts';

const NAME = 'queues';
/** A client would have left. */
const LONG_SECONDS = 60;

/** What waits for its turn in the running server; nothing if there is none. */
export async function checkQueues(host: string, port: number): Promise<Check[]> {
  const metrics = port === 0 ? undefined : await askOurServer(host, port, '/metrics');
  return metrics === undefined ? [] : [describeQueues(metrics)];
}

export function describeQueues(metrics: string): Check {
  const [waiting, tenants, oldest] = ['waiting', 'waiting_tenants', 'oldest_wait_seconds'].map((kind) =>
    readQueues(metrics, `tramontane_queue_${kind}`),
  );
  const busy = [...(waiting ?? [])].filter(([, count]) => count > 0);
  if (busy.length === 0) return ok(NAME, 'nothing waits for its turn');
  const lines = busy.map(([queue, count]) => {
    const organizations = tenants?.get(queue) ?? 0;
    const seconds = Math.round(oldest?.get(queue) ?? 0);
    return `${queue}: ${count} of ${organizations} organization${organizations === 1 ? '' : 's'}, the first for ${seconds} s`;
  });
  if (busy.every(([queue]) => (oldest?.get(queue) ?? 0) < LONG_SECONDS)) return ok(NAME, lines.join('; '));
  return warn(
    NAME,
    lines.join('; '),
    'see who sends the most with "tramontane usage"; limits and places are in docs/fairness.md',
  );
}

/** The values of a metric by its label `queue`. */
function readQueues(metrics: string, name: string): Map<string, number> {
  return new Map(readGauge(metrics, name).map(({ labels: { queue = '' }, value }) => [queue, value]));
}
