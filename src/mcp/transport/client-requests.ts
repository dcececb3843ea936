import type { JSONRPCRequest, JSONRPCResponse, RequestId } from '@modelcontextprotocol/server';
import { uuid } from '../../kit/base/ids.ts';

type Pending = { principal: string; id: RequestId; onResponse: (response: JSONRPCResponse) => void };

/**
 * Requests of a running tool to its client (sampling, elicitation). They are sent on the stream of the call, and the
 * response comes with another POST to the same server. Ids unique in the process match the two without a session.
 */
export type ClientRequests = {
  /** Gives the request a new id, and keeps it until it is resolved or forgotten. */
  register(request: JSONRPCRequest, principal: string, onResponse: (response: JSONRPCResponse) => void): JSONRPCRequest;
  /** False when no request of this caller has the response's id. */
  resolve(principal: string, response: JSONRPCResponse): boolean;
  forget(id: RequestId): void;
  /** The number of pending requests. */
  readonly size: number;
};

export function createClientRequests(): ClientRequests {
  const pending = new Map<RequestId, Pending>();
  return {
    register(request, principal, onResponse) {
      const id = uuid();
      pending.set(id, { principal, id: request.id, onResponse });
      return { ...request, id };
    },
    resolve(principal, response) {
      const found = response.id === undefined ? undefined : pending.get(response.id);
      if (!found || found.principal !== principal) return false;
      pending.delete(response.id as RequestId);
      found.onResponse({ ...response, id: found.id });
      return true;
    },
    forget: (id) => void pending.delete(id),
    get size() {
      return pending.size;
    },
  };
}
