import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyRequest } from 'fastify';

export type CurrentRequest = { id: string; address: string };

const requests = new AsyncLocalStorage<FastifyRequest>();

/** What `work` starts belongs to this request. */
export function inRequest<T>(request: FastifyRequest, work: () => T): T {
  return requests.run(request, work);
}

/** The request that is being answered, if it is one: work of a timer or a queue has none. */
export function currentRequest(): CurrentRequest | undefined {
  const request = requests.getStore();
  return request && { id: request.id, address: request.ip };
}
