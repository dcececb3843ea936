import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { offeredKey } from './offered-key.ts';
import type { Credentials } from './scope.ts';

const credentialsBySocket = new WeakMap<Socket, Credentials>();

/** The same object while a connection sends the same key, so that work on it can be cached. */
export function credentialsOf(request: FastifyRequest): Credentials {
  const { headers, socket } = request.raw;
  const { cookie } = headers;
  const authorization = headers.authorization ?? (headers.upgrade === undefined ? undefined : offeredKey(headers));
  const given = headers['x-api-key'];
  const apiKey = typeof given === 'string' ? given : undefined;
  if (cookie !== undefined && authorization === undefined && apiKey === undefined)
    return { authorization, apiKey, browser: { method: request.method, headers, host: request.host } };
  const known = credentialsBySocket.get(socket);
  if (known && known.authorization === authorization && known.apiKey === apiKey) return known;
  const credentials = { authorization, apiKey, hash: undefined };
  credentialsBySocket.set(socket, credentials);
  return credentials;
}
