import type { JSONRPCRequest, JSONRPCResponse, RequestId } from '@modelcontextprotocol/server';
import { uuid } from '../../kit/base/ids.ts';

type Waiting = { principal: string; id: RequestId; take: (answer: JSONRPCResponse) => void };

/**
 * What a running tool asks its client (sampling, elicitation) leaves on the stream of the call, and the answer
 * comes with another POST. Ids that are unique in the whole process bring the two together without a session;
 * behind a load balancer the answer must reach the process that asked.
 */
export type Questions = {
  /** The request under a new id, remembered until it is answered or forgotten. */
  ask(request: JSONRPCRequest, principal: string, take: (answer: JSONRPCResponse) => void): JSONRPCRequest;
  /** False when nobody waits for this answer, or not for one from this caller. */
  answer(principal: string, answer: JSONRPCResponse): boolean;
  forget(id: RequestId): void;
  /** How many questions are open. */
  readonly size: number;
};

export function createQuestions(): Questions {
  const waiting = new Map<RequestId, Waiting>();
  return {
    ask(request, principal, take) {
      const id = uuid();
      waiting.set(id, { principal, id: request.id, take });
      return { ...request, id };
    },
    answer(principal, answer) {
      const found = answer.id === undefined ? undefined : waiting.get(answer.id);
      if (!found || found.principal !== principal) return false;
      waiting.delete(answer.id as RequestId);
      found.take({ ...answer, id: found.id });
      return true;
    },
    forget: (id) => void waiting.delete(id),
    get size() {
      return waiting.size;
    },
  };
}
