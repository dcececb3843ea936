import type { AuditService } from '../audit/index.ts';
import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import {
  type ConnectionService,
  type ConnectorService,
  createConnectionService,
  createConnectorService,
} from '../connectors/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import type { PageTokens } from '../kit/http/index.ts';
import { createOutbound } from '../kit/outbound/index.ts';
import { createSecretBox } from '../kit/secrets/index.ts';
import { openKeyring } from './open-keyring.ts';

/** Longer than the timeout of any connector; each request has its own, shorter one. */
const REQUEST_TIMEOUT_MS = 15 * 60_000;
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;

/** Each connector of the configuration may reach its own host and port even where they are not public. */
function openDeclaredOutbound({ file }: Pick<Config, 'file'>) {
  return createOutbound({
    allow: [...file.outbound.allow, ...file.connectors.map(({ url }) => hostAndPort(url))],
    timeoutMs: REQUEST_TIMEOUT_MS,
    bodyBytesMax: RESPONSE_BYTES_MAX,
  });
}

/** Declared and stored connectors. What users give as addresses passes a guard without the operator's exceptions for connectors. */
export function openConnectors(
  config: Pick<Config, 'file' | 'dataDir' | 'secretKeys' | 'publicUrl'>,
  ports: { database: Database; audit: AuditService; tokens: PageTokens; log: Logger },
): { connectors: ConnectorService; close(): Promise<void> } {
  const { file, publicUrl } = config;
  const outbound = openDeclaredOutbound(config);
  const guarded = createOutbound({
    allow: file.outbound.allow,
    timeoutMs: REQUEST_TIMEOUT_MS,
    bodyBytesMax: RESPONSE_BYTES_MAX,
  });
  const box = createSecretBox(openKeyring(config, ports.log));
  return {
    connectors: createConnectorService({
      ...ports,
      connectors: file.connectors,
      outbound,
      guarded,
      box,
      publicUrl,
      version,
      now: systemClock,
    }),
    close: async () => void (await Promise.all([outbound.close(), guarded.close()])),
  };
}

/** For commands, which look at the configuration alone. */
export function openDeclaredConnectors(
  config: Pick<Config, 'file'>,
  log: Logger,
): { connectors: ConnectionService; close(): Promise<void> } {
  const outbound = openDeclaredOutbound(config);
  const { connectors } = config.file;
  return {
    connectors: createConnectionService({ connectors, outbound, version, now: systemClock, log }),
    close: () => outbound.close(),
  };
}

/** The form in which the outbound guard lists an allowed address. */
export function hostAndPort(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}
