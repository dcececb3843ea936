import type { Logger } from '../kit/base/log.ts';
import type { SecretBox } from '../kit/secrets/index.ts';
import { connectorErrors } from './errors.ts';
import type { StoredSecret } from './schema/credentials.ts';
import type { CredentialsKey } from './store/credentials.ts';

/** Seals for the database, or says that the key is missing. */
export function sealText(box: SecretBox, log: Logger, text: string, place: string): string {
  try {
    return box.seal(text, place);
  } catch (error) {
    log.error({ err: error }, 'a secret could not be encrypted');
    throw connectorErrors.connector_secrets_unavailable({ cause: error });
  }
}

export function credentialsPlace(key: CredentialsKey): string {
  const { connector_id, organization_id, consumer_type, consumer_id, name } = key;
  return `credentials ${connector_id} ${organization_id} ${consumer_type} ${consumer_id} ${name}`;
}

/** Undefined where its key is lost. */
export function openSecret(box: SecretBox, row: CredentialsKey & { sealed: string }): StoredSecret | undefined {
  const text = box.open(row.sealed, credentialsPlace(row));
  return text === undefined ? undefined : (JSON.parse(text) as StoredSecret);
}
