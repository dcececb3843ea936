import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import { type ConnectorService, createConnectorService } from '../connectors/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import { createOutbound } from '../kit/outbound/index.ts';

const MEBIBYTE = 1024 * 1024;
/** Longer than any connector may be given; each request has its own, shorter limit. */
const REQUEST_TIMEOUT_MS = 15 * 60_000;
const ANSWER_BYTES_MAX = 16 * MEBIBYTE;

/** The connectors of the configuration. Each opens its own host and port in the address guard, and no other. */
export function openConnectors(
  { file }: Pick<Config, 'file'>,
  log: Logger,
): { connectors: ConnectorService; close(): Promise<void> } {
  const outbound = createOutbound({
    allow: [...file.outbound.allow, ...file.connectors.map(({ url }) => placeOf(url))],
    timeoutMs: REQUEST_TIMEOUT_MS,
    bodyBytesMax: ANSWER_BYTES_MAX,
  });
  return {
    connectors: createConnectorService({ connectors: file.connectors, outbound, version, now: systemClock, log }),
    close: () => outbound.close(),
  };
}

/** Host and port of an address that the operator named, which may be reached although it is not public. */
export function placeOf(address: string): string {
  const { hostname, port, protocol } = new URL(address);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}
