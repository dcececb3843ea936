import type { Db, Tx } from '../../kit/db/index.ts';
import type { ConnectorRow, CredentialsRow } from './tables.ts';

export type SealedConnector = Pick<ConnectorRow, 'id' | 'global_headers' | 'auth_methods'>;
export type SealedClient = {
  connector_id: string;
  organization_id: string;
  issuer: string;
  redirect_url: string;
  sealed: string;
};

export function listSealedConnectors(db: Db): Promise<SealedConnector[]> {
  return db.selectFrom('connectors').select(['id', 'global_headers', 'auth_methods']).orderBy('id').execute();
}

export function listSealedCredentials(db: Db): Promise<CredentialsRow[]> {
  return db.selectFrom('connector_credentials').selectAll().execute();
}

export function listSealedClients(db: Db): Promise<SealedClient[]> {
  return db
    .selectFrom('connector_clients')
    .select(['connector_id', 'organization_id', 'issuer', 'redirect_url', 'sealed'])
    .execute();
}

export async function resealConnector(tx: Tx, { id, global_headers, auth_methods }: SealedConnector): Promise<void> {
  await tx
    .updateTable('connectors')
    .set({
      global_headers: JSON.stringify(global_headers),
      auth_methods: auth_methods && JSON.stringify(auth_methods),
    })
    .where('id', '=', id)
    .execute();
}

/** Only what has not changed meanwhile: a change was sealed with the new key. */
export async function resealCredentials(tx: Tx, row: CredentialsRow, sealed: string): Promise<void> {
  await tx
    .updateTable('connector_credentials')
    .set({ sealed })
    .where('connector_id', '=', row.connector_id)
    .where('organization_id', '=', row.organization_id)
    .where('consumer_type', '=', row.consumer_type)
    .where('consumer_id', '=', row.consumer_id)
    .where('name', '=', row.name)
    .where('sealed', '=', row.sealed)
    .execute();
}

export async function resealClient(tx: Tx, row: SealedClient, sealed: string): Promise<void> {
  await tx
    .updateTable('connector_clients')
    .set({ sealed })
    .where('connector_id', '=', row.connector_id)
    .where('organization_id', '=', row.organization_id)
    .where('issuer', '=', row.issuer)
    .where('redirect_url', '=', row.redirect_url)
    .where('sealed', '=', row.sealed)
    .execute();
}
