import { readFileSync } from 'node:fs';
import { type Config, ConfigError } from '../config/config.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Authenticate } from '../kit/http/index.ts';
import { createGateway, namespaceOf, type TemporalSettings } from '../workflows/index.ts';
import { StartFailure } from './start-failure.ts';

export type OpenedTemporal = {
  settings: TemporalSettings;
  /** The address of Temporal for workers that reached this API at `origin`. */
  schedulerUrl(origin: string): string;
  close(): Promise<void>;
};

/** The Temporal cluster and the gateway through which workers reach it; undefined where none is configured. */
export async function openTemporal(options: {
  config: Config;
  authenticate: Authenticate;
  log: Logger;
}): Promise<OpenedTemporal | undefined> {
  const { config, authenticate, log } = options;
  const { host, temporal, temporalGateway, file } = config;
  if (!temporal) return undefined;
  const settings: TemporalSettings = { ...temporal, tls: readTls(file.temporal.tls) };
  const gatewayFiles = file.temporal.gateway;
  const gateway = createGateway({
    temporal: settings,
    authenticate,
    namespaceOf: (workspaceId) => namespaceOf(temporal.namespace, workspaceId),
    tls: gatewayFiles && { cert: readPem(gatewayFiles.cert_file), key: readPem(gatewayFiles.key_file) },
    log,
  });
  const { port } = await gateway.listen({ host, port: temporalGateway.port }).catch((error: unknown) => {
    throw explainListenFailure(error, host, temporalGateway.port);
  });
  return {
    settings,
    schedulerUrl: (origin) => {
      if (temporalGateway.url) return temporalGateway.url;
      const url = new URL(origin);
      url.protocol = gatewayFiles ? 'https:' : 'http:';
      return `${url.protocol}//${url.hostname}:${port}`;
    },
    close: () => gateway.close(),
  };
}

export function readTls(files: Config['file']['temporal']['tls']): TemporalSettings['tls'] {
  if (!files) return undefined;
  if ((files.cert_file === undefined) !== (files.key_file === undefined))
    throw new ConfigError('temporal.tls: cert_file and key_file must be set together.');
  const read = (path: string | undefined) => (path === undefined ? undefined : readPem(path));
  return { ca: read(files.ca_file), cert: read(files.cert_file), key: read(files.key_file) };
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`temporal: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function explainListenFailure(error: unknown, host: string, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error;
  return new StartFailure(
    `Port ${port} on ${host}, the gateway to Temporal for workers, cannot be used (${code}). Choose another with TRAMONTANE_TEMPORAL_GATEWAY_PORT.`,
  );
}
