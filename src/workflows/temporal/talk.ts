import {
  type Connection,
  QueryNotRegisteredError,
  WorkflowClient,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Json } from '../../../packages/workflows/src/protocol.ts';
import { systemClock } from '../../kit/base/clock.ts';
import { QUERY_TIMEOUT_MS } from '../engine/limits.ts';
import { handlerFailed, unansweredQuery } from '../errors.ts';
import { CODES, explain, hasCode } from './grpc.ts';
import type { Namespaces } from './namespaces.ts';

type Place = { workspaceId: string; executionId: string; temporalRunId: string };

/** Calls that wait for an answer of workflow code. */
export function createTalk(connection: Connection, namespaces: Namespaces) {
  const clients = new Map<string, WorkflowClient>();

  async function handleOf({ workspaceId, executionId, temporalRunId }: Place) {
    const namespace = await namespaces.ensureNamespace(workspaceId);
    const client = clients.get(namespace) ?? new WorkflowClient({ connection, namespace });
    clients.set(namespace, client);
    return client.getHandle(executionId, temporalRunId);
  }

  return {
    async query(place: Place, name: string, input: Json, signal: AbortSignal): Promise<Json> {
      const handle = await handleOf(place);
      const ask = () =>
        connection.withDeadline(systemClock() + QUERY_TIMEOUT_MS, () => handle.query<Json, [Json]>(name, input));
      try {
        return (await connection.withAbortSignal(signal, ask)) ?? null;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof QueryNotRegisteredError) throw handlerFailed('query', name, wordsOf(error));
        if (hasCode(error, CODES.deadlineExceeded, CODES.failedPrecondition)) throw unansweredQuery(place.executionId);
        if (hasCode(error, CODES.invalidArgument)) throw handlerFailed('query', name, wordsOf(error));
        return explain(error);
      }
    },

    /** Undefined when the run ended before it took the update. */
    async update(
      place: Place,
      updateId: string,
      name: string,
      input: Json,
      signal: AbortSignal,
    ): Promise<{ result: Json } | undefined> {
      const handle = await handleOf(place);
      try {
        const ask = () => handle.executeUpdate<Json, [Json]>(name, { args: [input], updateId });
        return { result: (await connection.withAbortSignal(signal, ask)) ?? null };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof WorkflowUpdateFailedError) {
          if (isRunOver(error.cause)) return undefined;
          throw handlerFailed('update', name, wordsOf(error.cause ?? error));
        }
        if (hasCode(error, CODES.notFound) || (error as Error).name === 'WorkflowNotFoundError') return undefined;
        return explain(error);
      }
    },
  };
}

/** An update that was taken, but whose run ended before its handler had an answer. */
function isRunOver(cause: unknown): boolean {
  return cause instanceof ApplicationFailure && cause.type === 'AcceptedUpdateCompletedWorkflow';
}

function wordsOf(error: unknown): string {
  const { details, message } = error as { details?: unknown; message: string };
  return typeof details === 'string' && details ? details : message;
}
