import type { Db, Tx } from '../../kit/db/index.ts';
import type { ConnectorRow, CredentialsRow } from './tables.ts';

export type SealedConnector = Pick<ConnectorRow, 'id' | 'global_headers' | 'auth_methods' | 'modified_at'>;
export type SealedCredentials = Pick<
  CredentialsRow,
  'connector_id' | 'organization_id' | 'consumer_type' | 'consumer_id' | 'name' | 'sealed'
>;
export type SealedClient = {
  connector_id: string;
  organization_id: string;
  issuer: string;
  redirect_url: string;
  sealed: string;
};

/** Rows of all tenants in the order of their keys; `after` is the last one of the page before. */
type Page<T> = { after: T | undefined; limit: number };

export function listSealedConnectors(db: Db, { after, limit }: Page<SealedConnector>): Promise<SealedConnector[]> {
  return db
    .selectFrom('connectors')
    .select(['id', 'global_headers', 'auth_methods', 'modified_at'])
    .$if(after !== undefined, (query) => query.where('id', '>', after?.id ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute();
}

export function listSealedCredentials(db: Db, { after, limit }: Page<SealedCredentials>): Promise<SealedCredentials[]> {
  const key = ['connector_id', 'organization_id', 'consumer_type', 'consumer_id', 'name'] as const;
  let query = db.selectFrom('connector_credentials').select([...key, 'sealed']);
  if (after)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple(...key),
        '>',
        tuple(after.connector_id, after.organization_id, after.consumer_type, after.consumer_id, after.name),
      ),
    );
  for (const column of key) query = query.orderBy(column);
  return query.limit(limit).execute();
}

export function listSealedClients(db: Db, { after, limit }: Page<SealedClient>): Promise<SealedClient[]> {
  const key = ['connector_id', 'organization_id', 'issuer', 'redirect_url'] as const;
  let query = db.selectFrom('connector_clients').select([...key, 'sealed']);
  if (after)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple(...key), '>', tuple(after.connector_id, after.organization_id, after.issuer, after.redirect_url)),
    );
  for (const column of key) query = query.orderBy(column);
  return query.limit(limit).execute();
}

/** Like the others, only what has not changed meanwhile: a change was sealed with the new key. */
export async function resealConnector(tx: Tx, row: SealedConnector): Promise<void> {
  const { id, global_headers, auth_methods, modified_at } = row;
  await tx
    .updateTable('connectors')
    .set({
      global_headers: JSON.stringify(global_headers),
      auth_methods: auth_methods && JSON.stringify(auth_methods),
    })
    .where('id', '=', id)
    .where('modified_at', '=', modified_at)
    .execute();
}

export async function resealCredentials(tx: Tx, row: SealedCredentials, sealed: string): Promise<void> {
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
