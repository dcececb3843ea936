import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyRequest } from 'fastify';

export type CurrentRequest = { id: string; address: string };

const requests = new AsyncLocalStorage<FastifyRequest>();

/** Runs `work` as part of this request. */
export function inRequest<T>(request: FastifyRequest, work: () => T): T {
  return requests.run(request, work);
}

/** Whose request it is; empty in timers and queue handlers, and before it is known. */
export function currentPrincipal(): string {
  return requests.getStore()?.scope?.principal ?? '';
}

/** The current request; undefined in timers and queue handlers. */
export function currentRequest(): CurrentRequest | undefined {
  const request = requests.getStore();
  return request && { id: request.id, address: request.ip };
}
