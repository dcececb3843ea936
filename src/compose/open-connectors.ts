import type { AuditService } from '../audit/index.ts';
import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import {
  type ConnectionService,
  type ConnectorConfig,
  type ConnectorService,
  createConnectionService,
  createConnectorService,
  type StartProgram,
} from '../connectors/index.ts';
import { startProgram } from '../engines/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import type { Announce } from '../kit/events/index.ts';
import type { PageTokens } from '../kit/http/index.ts';
import { createOutbound } from '../kit/outbound/index.ts';
import { createSecretBox } from '../kit/secrets/index.ts';
import type { TenantService } from '../tenants/index.ts';
import { openKeyring } from './open-keyring.ts';

/** Longer than the timeout of any connector; each request has its own, shorter one. */
const REQUEST_TIMEOUT_MS = 15 * 60_000;
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;

/** Each connector of the configuration may reach its own host and port even where they are not public. */
function openDeclaredOutbound({ file }: Pick<Config, 'file'>) {
  const places = file.connectors.flatMap(({ url }) => (url === undefined ? [] : [hostAndPort(url)]));
  return createOutbound({
    allow: [...file.outbound.allow, ...places],
    timeoutMs: REQUEST_TIMEOUT_MS,
    bodyBytesMax: RESPONSE_BYTES_MAX,
  });
}

/** Connectors that are programs run as the operator wrote them, in the sandbox of the code interpreter's kind. */
function declare({ file }: Pick<Config, 'file'>): { connectors: ConnectorConfig[]; startProgram: StartProgram } {
  return {
    connectors: file.connectors.map(({ url, ...rest }) => ({ ...rest, url: url ?? `stdio:${rest.id}` })),
    startProgram(id, environment) {
      const stdio = file.connectors.find((one) => one.id === id)?.stdio;
      if (!stdio) throw new Error(`The connector '${id}' has no program.`);
      return startProgram({
        bubblewrap: file.code_interpreter.bubblewrap,
        command: [stdio.command, ...stdio.args],
        environment: { ...stdio.env, ...environment },
        hasNetwork: stdio.network,
        readable: stdio.read,
        writable: stdio.write,
        memoryBytes: stdio.memory_mib * MEBIBYTE,
        processesMax: stdio.processes_max,
      });
    },
  };
}

/** Declared and stored connectors. What users give as addresses passes a guard without the operator's exceptions for connectors. */
export function openConnectors(
  config: Pick<Config, 'file' | 'dataDir' | 'secretKeys' | 'publicUrl'>,
  ports: {
    database: Database;
    audit: AuditService;
    tokens: PageTokens;
    tenants: TenantService;
    announce: Announce;
    log: Logger;
  },
): { connectors: ConnectorService; close(): Promise<void> } {
  const { file, publicUrl } = config;
  const outbound = openDeclaredOutbound(config);
  const guarded = createOutbound({
    allow: file.outbound.allow,
    timeoutMs: REQUEST_TIMEOUT_MS,
    bodyBytesMax: RESPONSE_BYTES_MAX,
  });
  const box = createSecretBox(openKeyring(config, ports.log));
  const connectors = createConnectorService({
    ...ports,
    ...declare(config),
    outbound,
    guarded,
    box,
    publicUrl,
    emailsOf: ports.tenants.members.emailsOf,
    version,
    now: systemClock,
  });
  return {
    connectors,
    async close() {
      await connectors.close();
      await Promise.all([outbound.close(), guarded.close()]);
    },
  };
}

/** For commands, which look at the configuration alone. */
export function openDeclaredConnectors(
  config: Pick<Config, 'file'>,
  log: Logger,
): { connectors: ConnectionService; close(): Promise<void> } {
  const outbound = openDeclaredOutbound(config);
  return {
    connectors: createConnectionService({ ...declare(config), outbound, version, now: systemClock, log }),
    close: () => outbound.close(),
  };
}

/** The form in which the outbound guard lists an allowed address. */
export function hostAndPort(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}
