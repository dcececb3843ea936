import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import type { FastifyRequest } from 'fastify';
import { type Caller, NOBODY } from '../base/turn-lines.ts';

export type CurrentRequest = { id: string; address: string };

const requests = new AsyncLocalStorage<FastifyRequest>();
/** What a request runs in before it is its own: nothing. */
const outside = new AsyncResource('Requests');

/** Runs `work` as part of this request, and of whatever it is called in. */
export function inRequest<T>(request: FastifyRequest, work: () => T): T {
  return requests.run(request, work);
}

/**
 * Runs `work(argument)` as part of this request and of nothing else, so only where nothing else is around. `run` of the storage
 * would make a second context, to return to none.
 */
export function onlyInRequest<A, T>(request: FastifyRequest, work: (argument: A) => T, argument: A): T {
  return outside.runInAsyncScope(enter<A, T>, undefined, request, work, argument);
}

function enter<A, T>(request: FastifyRequest, work: (argument: A) => T, argument: A): T {
  requests.enterWith(request);
  return work(argument);
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
