import type { Clock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import { createPartition, dropPartition, listPartitions, type Partition } from './store/partitions.ts';
import { DAY_US } from './time-range.ts';

/** A server that was down for so long still finds partitions when it comes back. */
const DAYS_AHEAD = 7;

/**
 * Makes the partitions of the coming days, and drops those whose last span is too old. What fails is logged and tried
 * again by the next sweep: without a partition spans are stored by default, and old ones stay a little longer.
 */
export async function keepPartitions(
  { database, now, log }: { database: Database; now: Clock; log: Logger },
  beforeUs: number,
): Promise<void> {
  const { db } = database;
  const known = await listPartitions(db);
  const today = Math.floor((now() * 1000) / DAY_US) * DAY_US;
  const days = Array.from({ length: DAYS_AHEAD + 1 }, (_, n) => dayFrom(today + n * DAY_US));
  const attempt = async (what: string, partition: Partition, work: () => Promise<void>) => {
    try {
      await work();
    } catch (err) {
      log.warn({ err, partition: partition.name }, `a partition of spans could not be ${what}; tried again later`);
    }
  };
  for (const day of days)
    if (!known.some(({ fromUs, toUs }) => fromUs < day.toUs && toUs > day.fromUs))
      await attempt('made', day, () => database.transaction((tx) => createPartition(tx, day)));
  for (const partition of known)
    if (partition.toUs <= beforeUs)
      await attempt('dropped', partition, () => database.transaction((tx) => dropPartition(tx, partition)));
}

function dayFrom(fromUs: number): Partition {
  const day = new Date(fromUs / 1000).toISOString().slice(0, 10).replaceAll('-', '');
  return { name: `spans_${day}`, fromUs, toUs: fromUs + DAY_US };
}
