import type { AuditService } from '../../audit/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Database } from '../../kit/db/index.ts';
import type { Announce } from '../../kit/events/index.ts';
import type { PageTokens } from '../../kit/http/index.ts';
import type { Outbound } from '../../kit/outbound/index.ts';
import type { SecretBox } from '../../kit/secrets/index.ts';
import { createUseNotes } from '../note-uses.ts';
import type { StartProgram } from '../open-program-session.ts';
import type { ConnectorConfig } from '../schema/connections.ts';
import { createTargets } from '../targets.ts';
import { type CatalogueService, createCatalogueService } from './catalogue.ts';
import { type ConnectionService, createConnectionService } from './connections.ts';
import { type CredentialService, createCredentialService } from './credentials.ts';
import { createGatewayService, type GatewayService } from './gateway.ts';
import { createSignInService, type SignInService } from './sign-ins.ts';
import { createStored } from './stored.ts';
import { createToolService, type ToolService } from './tools.ts';
import { createUseService, type EmailsOf, type UseService } from './uses.ts';

export type ConnectorService = ConnectionService & {
  catalogue: CatalogueService;
  credentials: CredentialService;
  signIns: SignInService;
  tools: ToolService;
  gateway: GatewayService;
  uses: UseService;
};

export function createConnectorService(ports: {
  connectors: readonly ConnectorConfig[];
  /** For connectors of the configuration, whose hosts the operator chose. */
  outbound: Outbound;
  /** For addresses that users chose. */
  guarded: Outbound;
  startProgram: StartProgram;
  database: Database;
  audit: AuditService;
  tokens: PageTokens;
  box: SecretBox;
  publicUrl: string | undefined;
  emailsOf: EmailsOf;
  announce?: Announce | undefined;
  version: string;
  now: Clock;
  log: Logger;
}): ConnectorService {
  const { connectors, outbound, guarded, box, database } = ports;
  const targets = createTargets({ db: database.db, connectors, box, outbound, guarded });
  const common = { ...ports, targets };
  const credentials = createCredentialService(common);
  const signIns = createSignInService({ ...common, credentials });
  const catalogue = createCatalogueService({ ...common, credentials, signIns });
  const notes = createUseNotes(ports);
  const connections = createConnectionService({ ...ports, stored: createStored({ ...common, notes }) });
  const tools = createToolService({ ...common, connections, catalogue });
  const gateway = createGatewayService({ connections });
  const uses = createUseService({ ...common, notes });
  return {
    ...connections,
    ...{ catalogue, credentials, signIns, tools, gateway, uses },
    async close() {
      await connections.close();
      await notes.close();
    },
  };
}
