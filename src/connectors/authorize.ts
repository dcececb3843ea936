import { createHash } from 'node:crypto';
import { connectorErrors } from './errors.ts';
import type { Authorization, ConnectorConfig } from './schema/connections.ts';

const VALUE_CHARACTERS_MAX = 8192;

/** The operator's headers, with the client's own credentials in place of the operator's. */
export function headersFor(connector: ConnectorConfig, authorization: Authorization | undefined) {
  const headers = new Headers(connector.headers);
  if (!authorization) return headers;
  const { type, value } = authorization;
  if (!/^[\x21-\x7e]+$/.test(value) || value.length > VALUE_CHARACTERS_MAX)
    throw connectorErrors.connector_authorization_invalid(connector.id);
  const keyHeader = connector.api_key_header.toLowerCase();
  // Both go: a request must not carry the operator's credentials beside the client's.
  for (const name of ['authorization', keyHeader]) headers.delete(name);
  const name = type === 'api-key' ? keyHeader : 'authorization';
  headers.set(name, name === 'authorization' ? `Bearer ${value}` : value);
  return headers;
}

/** Tells credentials apart without storing them. */
export function fingerprint(authorization: Authorization | undefined): string {
  return authorization ? createHash('sha256').update(`${authorization.type} ${authorization.value}`).digest('hex') : '';
}

/** Every value of an address and its headers that may be a secret: any header may hold one. */
export function credentialsIn(url: string, headers: Headers): string[] {
  const values = [...headers.values()];
  // Also without a scheme such as `Bearer`, as a server may repeat it.
  const bare = values.flatMap((value) => /^[A-Za-z]+ (\S+)$/.exec(value)?.[1] ?? []);
  return [...values, ...bare, ...new URL(url).searchParams.values()];
}
