import type { Database } from '../kit/db/index.ts';
import type { SecretBox } from '../kit/secrets/index.ts';
import { clientPlace } from './read-methods.ts';
import { credentialsPlace } from './seal-credentials.ts';
import {
  listSealedClients,
  listSealedConnectors,
  listSealedCredentials,
  resealClient,
  resealConnector,
  resealCredentials,
} from './store/sealed.ts';
import { headerPlace } from './targets.ts';

export type Resealed = { resealed: number; unreadable: number };

/** Encrypts every stored secret with the newest key. What no key opens stays as it is. */
export async function resealSecrets(database: Database, box: SecretBox): Promise<Resealed> {
  const counts: Resealed = { resealed: 0, unreadable: 0 };
  /** Undefined where there is nothing to do. */
  const reseal = (sealed: string, place: string): string | undefined => {
    if (box.isCurrent(sealed)) return undefined;
    const text = box.open(sealed, place);
    if (text === undefined) counts.unreadable += 1;
    else counts.resealed += 1;
    return text === undefined ? undefined : box.seal(text, place);
  };
  const { db } = database;
  for (const row of await listSealedConnectors(db)) {
    let isChanged = false;
    const again = (sealed: string, place: string) => {
      const changed = reseal(sealed, place);
      isChanged ||= changed !== undefined;
      return changed ?? sealed;
    };
    const global_headers = Object.fromEntries(
      Object.entries(row.global_headers).map(([name, { is_secret, value }]) => [
        name,
        { is_secret, value: is_secret ? again(value, headerPlace(row.id, name)) : value },
      ]),
    );
    const auth_methods =
      row.auth_methods?.map((method) =>
        method.client === undefined ? method : { ...method, client: again(method.client, clientPlace(row.id)) },
      ) ?? null;
    if (isChanged)
      await database.transaction((tx) => resealConnector(tx, { id: row.id, global_headers, auth_methods }));
  }
  for (const row of await listSealedCredentials(db)) {
    const sealed = reseal(row.sealed, credentialsPlace(row));
    if (sealed !== undefined) await database.transaction((tx) => resealCredentials(tx, row, sealed));
  }
  for (const row of await listSealedClients(db)) {
    const { connector_id, organization_id, issuer, redirect_url } = row;
    const place = registeredPlace({ connector_id, organization_id, issuer, redirect_url });
    const sealed = reseal(row.sealed, place);
    if (sealed !== undefined) await database.transaction((tx) => resealClient(tx, row, sealed));
  }
  return counts;
}

/** Of a client that was registered with an authorization server. */
export function registeredPlace(key: {
  connector_id: string;
  organization_id: string;
  issuer: string;
  redirect_url: string;
}): string {
  return `client ${key.connector_id} ${key.organization_id} ${key.issuer} ${key.redirect_url}`;
}
