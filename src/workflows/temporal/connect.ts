import { Connection } from '@temporalio/client';
import { systemClock } from '../../kit/base/clock.ts';

/** Where the Temporal cluster is, and what the names of its namespaces begin with. */
export type TemporalSettings = { address: string; namespace: string };

const CONNECT_MS = 5000;

/** Made without a word to the cluster: the first call connects, and a server starts whether or not Temporal is there. */
export function connect({ address }: Pick<TemporalSettings, 'address'>): Connection {
  return Connection.lazy({ address, tls: false, connectTimeout: CONNECT_MS });
}

/** Throws when the cluster does not answer within the time. */
export async function ping(connection: Connection, timeoutMs = CONNECT_MS): Promise<void> {
  await connection.withDeadline(systemClock() + timeoutMs, () => connection.workflowService.getSystemInfo({}));
}
