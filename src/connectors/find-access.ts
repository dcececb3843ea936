import { createHash } from 'node:crypto';
import type { Clock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Db } from '../kit/db/index.ts';
import type { SecretBox } from '../kit/secrets/index.ts';
import { connectorErrors } from './errors.ts';
import { freshToken, needsSignIn, noteFailure } from './refresh-token.ts';
import { openSecret } from './seal-credentials.ts';
import { listUsableCredentials } from './store/credentials.ts';
import type { Consumer, CredentialsRow } from './store/tables.ts';
import type { Target } from './targets.ts';

/** What is sent with the requests of one consumer. */
export type Access = {
  headers: Headers;
  /** Tells what different credentials see apart, without holding them. */
  fingerprint: string;
  row?: CredentialsRow | undefined;
  /** After a 401: other headers, where there can be some. */
  renew?(): Promise<Access | undefined>;
};

type Ports = { db: Db; box: SecretBox; now: Clock; log: Logger };

const KINDS = ['user', 'workspace', 'org'] as const;

/** The credentials of the user, else those of the workspace, else those of the organization, else none. */
export async function findAccess(
  ports: Ports,
  consumer: Consumer,
  target: Target,
  credentialsName?: string | null,
): Promise<Access> {
  const rows = await listUsableCredentials(ports.db, consumer, [target.id]);
  const row = chooseCredentials(rows, credentialsName);
  if (row) return accessWith(ports, target, row);
  if (credentialsName) throw connectorErrors.connector_credentials_not_found(credentialsName);
  if (needsCredentials(target)) throw needsSignIn(target, 'it needs credentials, and there are none for you.');
  return { headers: new Headers(target.config.headers), fingerprint: '' };
}

/** A named one in the nearest scope; else the default of the nearest scope that has any. */
export function chooseCredentials(rows: readonly CredentialsRow[], name?: string | null): CredentialsRow | undefined {
  for (const kind of KINDS) {
    const own = rows.filter(({ consumer_type }) => consumer_type === kind);
    const found = name ? own.find((row) => row.name === name) : (own.find(({ is_default }) => is_default) ?? own[0]);
    if (found) return found;
  }
  return undefined;
}

/** Whether its creator said so. A server that is asked without credentials says by itself what it needs. */
function needsCredentials({ row }: Target): boolean {
  const methods = row?.auth_methods;
  return !!methods?.length && methods.every(({ method_type }) => method_type !== 'none');
}

async function accessWith(ports: Ports, target: Target, given: CredentialsRow, refused?: number): Promise<Access> {
  const secret = openSecret(ports.box, given);
  if (!secret) {
    await noteFailure(ports, given, 'invalid', 'unparsable credentials');
    throw needsSignIn(target, 'its credentials cannot be read, because their key is lost.');
  }
  const headers = new Headers(target.config.headers);
  for (const [name, value] of Object.entries(secret.headers ?? {})) headers.set(name, value);
  if (secret.bearer_token !== undefined) setToken(headers, target, secret.bearer_token);
  if (!secret.oauth) return { headers, fingerprint: fingerprintOf(given), row: given };
  const { row, token } = await freshToken(ports, target, given, refused);
  setToken(headers, target, token);
  return {
    headers,
    fingerprint: fingerprintOf(row),
    row,
    renew: refused === row.version ? undefined : () => accessWith(ports, target, row, row.version),
  } as Access;
}

function setToken(headers: Headers, { config }: Target, token: string): void {
  const name = config.api_key_header.toLowerCase();
  // The operator's own token never goes beside a user's.
  headers.delete('authorization');
  headers.set(name, name === 'authorization' ? `Bearer ${token}` : token);
}

/** Not of the token, which changes while what it allows stays the same. */
function fingerprintOf({ organization_id, consumer_type, consumer_id, name, created_at }: CredentialsRow): string {
  const owner = [organization_id, consumer_type, consumer_id, name, created_at].join(' ');
  return createHash('sha256').update(owner).digest('hex');
}
