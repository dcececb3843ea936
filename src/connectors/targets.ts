import type { Db } from '../kit/db/index.ts';
import type { Outbound } from '../kit/outbound/index.ts';
import type { SecretBox } from '../kit/secrets/index.ts';
import { connectorErrors } from './errors.ts';
import type { ConnectorConfig } from './schema/connections.ts';
import { findConnector, findConnectorsByName } from './store/connectors.ts';
import type { ConnectorRow, Consumer } from './store/tables.ts';

/** A connector that a consumer sees: of the configuration, or a stored one. */
export type Target = {
  /** Under which its rows are stored, and which the API shows. */
  id: string;
  protocol: 'mcp' | 'http';
  config: ConnectorConfig;
  /** Absent for a connector of the configuration. */
  row?: ConnectorRow | undefined;
  outbound: Outbound;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const TIMEOUT_SECONDS = 60;
const RESULT_LIMIT_KIB = 64;

export type Targets = {
  /** Those of the configuration that the workspace may use. */
  declared(workspaceId: string): Target[];
  find(consumer: Consumer, idOrName: string): Promise<Target | undefined>;
  get(consumer: Consumer, idOrName: string): Promise<Target>;
  fromRow(row: ConnectorRow): Target;
};

export function createTargets(ports: {
  db: Db;
  connectors: readonly ConnectorConfig[];
  box: SecretBox;
  /** For connectors of the configuration, whose hosts the operator chose. */
  outbound: Outbound;
  /** For addresses that users chose. */
  guarded: Outbound;
}): Targets {
  const { db, connectors, box, outbound, guarded } = ports;

  function fromRow(row: ConnectorRow): Target {
    const headers = Object.fromEntries(
      Object.entries(row.global_headers).flatMap(([name, { value, is_secret }]) => {
        const shown = is_secret ? box.open(value, headerPlace(row.id, name)) : value;
        return shown === undefined ? [] : [[name, shown]];
      }),
    );
    const { id, protocol, name, server: url, description } = row;
    const config: ConnectorConfig = {
      id: name,
      url,
      description,
      headers,
      api_key_header: 'authorization',
      timeout_seconds: TIMEOUT_SECONDS,
      result_limit_kib: RESULT_LIMIT_KIB,
    };
    return { id, protocol, config, row, outbound: guarded };
  }

  const declared = (workspaceId: string) =>
    connectors
      .filter(({ workspaces }) => !workspaces || workspaces.includes(workspaceId))
      .map((config): Target => ({ id: config.id, protocol: 'mcp', config, outbound }));

  async function find(consumer: Consumer, idOrName: string): Promise<Target | undefined> {
    const own = declared(consumer.workspace_id).find(({ id }) => id === idOrName);
    if (own) return own;
    const row = UUID.test(idOrName)
      ? await findConnector(db, consumer, idOrName.toLowerCase())
      : nearest(await findConnectorsByName(db, consumer, storable(idOrName)), consumer);
    return row && fromRow(row);
  }

  return {
    declared,
    find,
    async get(consumer, idOrName) {
      const found = await find(consumer, idOrName);
      if (!found) throw connectorErrors.connector_absent(idOrName);
      return found;
    },
    fromRow,
  };
}

/** One's own before the workspace's before the organization's. */
function nearest(rows: readonly ConnectorRow[], { workspace_id }: Consumer): ConnectorRow | undefined {
  return (
    rows.find(({ visibility }) => visibility === 'private') ??
    rows.find((row) => row.workspace_id === workspace_id) ??
    rows[0]
  );
}

export function headerPlace(connectorId: string, name: string): string {
  return `connector ${connectorId} header ${name.toLowerCase()}`;
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
