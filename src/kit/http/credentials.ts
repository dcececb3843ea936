import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { offeredKey } from './offered-key.ts';
import type { Credentials } from './scope.ts';

const credentialsBySocket = new WeakMap<Socket, Credentials>();

export function credentialsOf({ raw, method, host }: FastifyRequest): Credentials {
  const { headers } = raw;
  const sent = sentKeyOf(raw);
  if (headers.cookie === undefined || sent.authorization !== undefined || sent.apiKey !== undefined) return sent;
  return { authorization: undefined, apiKey: undefined, browser: { method, headers, host } };
}

/** The same object while a connection sends the same key, so that work on it can be cached. */
export function sentKeyOf({ headers, socket }: IncomingMessage): Credentials {
  const authorization = headers.authorization ?? (headers.upgrade === undefined ? undefined : offeredKey(headers));
  const given = headers['x-api-key'];
  const apiKey = typeof given === 'string' ? given : undefined;
  const known = credentialsBySocket.get(socket);
  if (known && known.authorization === authorization && known.apiKey === apiKey) return known;
  const credentials = { authorization, apiKey, hash: undefined };
  credentialsBySocket.set(socket, credentials);
  return credentials;
}
