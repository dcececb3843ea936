import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import { type ConnectorService, createConnectorService } from '../connectors/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import { createOutbound } from '../kit/outbound/index.ts';

/** Longer than the timeout of any connector; each request has its own, shorter one. */
const REQUEST_TIMEOUT_MS = 15 * 60_000;
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;

/** The connectors of the configuration. Each may reach its own host and port even where they are not public. */
export function openConnectors(
  { file }: Pick<Config, 'file'>,
  log: Logger,
): { connectors: ConnectorService; close(): Promise<void> } {
  const outbound = createOutbound({
    allow: [...file.outbound.allow, ...file.connectors.map(({ url }) => hostAndPort(url))],
    timeoutMs: REQUEST_TIMEOUT_MS,
    bodyBytesMax: RESPONSE_BYTES_MAX,
  });
  return {
    connectors: createConnectorService({ connectors: file.connectors, outbound, version, now: systemClock, log }),
    close: () => outbound.close(),
  };
}

/** The form in which the outbound guard lists an allowed address. */
export function hostAndPort(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}
