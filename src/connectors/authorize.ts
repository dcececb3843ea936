import { createHash } from 'node:crypto';
import { badRequest } from '../kit/http/index.ts';
import type { Authorization, ConnectorConfig } from './schema.ts';

const VALUE_CHARACTERS_MAX = 8192;

/** The headers of every request to a connector: the operator's, and over them what the client brought. */
export function headersFor(connector: ConnectorConfig, authorization: Authorization | undefined) {
  const headers = new Headers(connector.headers);
  if (!authorization) return headers;
  const { type, value } = authorization;
  if (!/^[\x21-\x7e]+$/.test(value) || value.length > VALUE_CHARACTERS_MAX)
    throw badRequest(`The authorization of the connector '${connector.id}' cannot be sent: its value fits no header.`);
  const keyHeader = connector.api_key_header.toLowerCase();
  // Whoever comes with credentials of their own is not to be taken for the operator as well.
  for (const own of ['authorization', keyHeader]) headers.delete(own);
  const name = type === 'api-key' ? keyHeader : 'authorization';
  headers.set(name, name === 'authorization' ? `Bearer ${value}` : value);
  return headers;
}

/** Tells credentials apart without keeping them: what one client may see is not remembered for another. */
export function fingerprint(authorization: Authorization | undefined): string {
  return authorization ? createHash('sha256').update(`${authorization.type} ${authorization.value}`).digest('hex') : '';
}

/** Whatever of an address and its headers may be a secret; the operator names headers as they like. */
export function credentialsIn(url: string, headers: Headers): string[] {
  const values = [...headers.values()];
  // `Bearer …` is known to everybody; what follows is not.
  const bare = values.flatMap((value) => /^[A-Za-z]+ (\S+)$/.exec(value)?.[1] ?? []);
  return [...values, ...bare, ...new URL(url).searchParams.values()];
}
