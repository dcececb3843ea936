import type { Database, Db, Tx } from '../kit/db/index.ts';
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
  type SealedConnector,
} from './store/sealed.ts';
import { headerPlace } from './targets.ts';

export type Resealed = { resealed: number; unreadable: number };

const PAGE = 200;

/**
 * Encrypts every stored secret with the newest key, a page in each transaction. What no key opens stays as it is. When it
 * is interrupted, the older key opens what is left, and the next rotation goes on with that.
 */
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
  await eachPage(database, listSealedConnectors, (row) => {
    const changed = resealMembers(row, reseal);
    return changed && ((tx) => resealConnector(tx, changed));
  });
  await eachPage(database, listSealedCredentials, (row) => {
    const sealed = reseal(row.sealed, credentialsPlace(row));
    return sealed === undefined ? undefined : (tx) => resealCredentials(tx, row, sealed);
  });
  await eachPage(database, listSealedClients, (row) => {
    const sealed = reseal(row.sealed, registeredPlace(row));
    return sealed === undefined ? undefined : (tx) => resealClient(tx, row, sealed);
  });
  return counts;
}

type Change = (tx: Tx) => Promise<void>;

async function eachPage<T>(
  database: Database,
  list: (db: Db, page: { after: T | undefined; limit: number }) => Promise<T[]>,
  plan: (row: T) => Change | undefined,
): Promise<void> {
  let after: T | undefined;
  do {
    const rows = await list(database.db, { after, limit: PAGE });
    // Planned outside of the transaction, which may run again.
    const changes = rows.flatMap((row) => plan(row) ?? []);
    if (changes.length > 0)
      await database.transaction(async (tx) => {
        for (const change of changes) await change(tx);
      });
    after = rows.length === PAGE ? rows.at(-1) : undefined;
  } while (after !== undefined);
}

function resealMembers(
  row: SealedConnector,
  reseal: (sealed: string, place: string) => string | undefined,
): SealedConnector | undefined {
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
  return isChanged ? { ...row, global_headers, auth_methods } : undefined;
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
