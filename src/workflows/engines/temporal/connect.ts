import { Connection, type TLSConfig } from '@temporalio/client';
import { systemClock } from '../../../kit/base/clock.ts';

/** Where the Temporal cluster is, and what the names of its namespaces begin with. */
export type TemporalSettings = { address: string; namespace: string; tls?: TemporalTls | undefined };

/** The texts of certificates; without any the authorities of the system are believed. */
export type TemporalTls = { ca?: string | undefined; cert?: string | undefined; key?: string | undefined };

const CONNECT_MS = 5000;

/** Made without a word to the cluster: the first call connects, and a server starts whether or not Temporal is there. */
export function connect({ address, tls }: Pick<TemporalSettings, 'address' | 'tls'>): Connection {
  return Connection.lazy({ address, tls: tls ? readTls(tls) : false, connectTimeout: CONNECT_MS });
}

/** Throws when the cluster does not answer within the time. */
export async function ping(connection: Connection, timeoutMs = CONNECT_MS): Promise<void> {
  await connection.withDeadline(systemClock() + timeoutMs, () => connection.workflowService.getSystemInfo({}));
}

/** The version of the cluster, for those who only want to know whether it is there. */
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
