import { Connection, type TLSConfig } from '@temporalio/client';
import { systemClock } from '../../../kit/base/clock.ts';

/** The address of the cluster and the prefix of its namespaces. */
export type TemporalSettings = { address: string; namespace: string; tls?: TemporalTls | undefined };

/** PEM texts; without them the certificate authorities of the system are used. */
export type TemporalTls = { ca?: string | undefined; cert?: string | undefined; key?: string | undefined };

const CONNECT_MS = 5000;

/** Connects on the first call, so the server starts even if Temporal is unreachable. */
export function connect({ address, tls }: Pick<TemporalSettings, 'address' | 'tls'>): Connection {
  return Connection.lazy({ address, tls: tls ? readTls(tls) : false, connectTimeout: CONNECT_MS });
}

/** Throws when the cluster does not respond in time. */
export async function ping(connection: Connection, timeoutMs = CONNECT_MS): Promise<void> {
  await connection.withDeadline(systemClock() + timeoutMs, () => connection.workflowService.getSystemInfo({}));
}

/** Returns the version of a cluster that responds. */
export async function askTemporal(settings: Pick<TemporalSettings, 'address' | 'tls'>): Promise<string> {
  const connection = connect(settings);
  try {
    const ask = () => connection.workflowService.getSystemInfo({});
    const { serverVersion } = await connection.withDeadline(systemClock() + CONNECT_MS, ask);
    return serverVersion;
  } finally {
    await connection.close();
  }
}

function readTls({ ca, cert, key }: TemporalTls): TLSConfig {
  return {
    ...(ca === undefined ? {} : { serverRootCACertificate: Buffer.from(ca) }),
    ...(cert === undefined || key === undefined
      ? {}
      : { clientCertPair: { crt: Buffer.from(cert), key: Buffer.from(key) } }),
  };
}
