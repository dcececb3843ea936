import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyRequest } from 'fastify';
import { type Caller, NOBODY } from '../base/turn-lines.ts';

export type CurrentRequest = { id: string; address: string };

const requests = new AsyncLocalStorage<FastifyRequest>();

/** Runs `work` as part of this request, and of whatever it is called in. */
export function inRequest<T>(request: FastifyRequest, work: () => T): T {
  return requests.run(request, work);
}

/** Whose request it is; nobody's in timers and queue handlers, and before it is known. */
export function currentCaller(): Caller {
  const request = requests.getStore();
  return request ? callerOf(request) : NOBODY;
}

/** Who takes a turn for this request. */
export function callerOf({ scope }: FastifyRequest): Caller {
  return scope ? { organization: scope.organization_id ?? '', key: scope.key_id ?? '' } : NOBODY;
}

/** The current request; undefined in timers and queue handlers. */
export function currentRequest(): CurrentRequest | undefined {
  const request = requests.getStore();
  return request && { id: request.id, address: request.ip };
}
