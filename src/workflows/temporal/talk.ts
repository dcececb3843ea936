import {
  type Connection,
  QueryNotRegisteredError,
  WorkflowClient,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure, type Payload, type PayloadCodec, RawValue } from '@temporalio/common';
import type { Json } from '../../../packages/workflows/src/protocol.ts';
import { systemClock } from '../../kit/base/clock.ts';
import { QUERY_TIMEOUT_MS } from '../engine/limits.ts';
import type { RunRow } from '../engine/tables.ts';
import { handlerFailed, unansweredQuery } from '../errors.ts';
import type { EncodeValue } from './encode-values.ts';
import { CODES, explain, hasCode } from './grpc.ts';
import type { Namespaces } from './namespaces.ts';
import { plainOf } from './wf-payloads.ts';

type Place = { row: RunRow; temporalRunId: string };

/** Answers come as the workers' SDK writes them. */
const codec: PayloadCodec = {
  encode: async (payloads) => payloads,
  decode: async (payloads) => payloads.map((payload) => plainOf(payload) as Payload),
};

/** Calls that wait for an answer of workflow code. */
export function createTalk(connection: Connection, namespaces: Namespaces, encode: EncodeValue) {
  const clients = new Map<string, WorkflowClient>();

  async function handleOf({ row, temporalRunId }: Place, input: Json) {
    const namespace = await namespaces.ensureNamespace(row.workspace_id);
    const client =
      clients.get(namespace) ??
      new WorkflowClient({ connection, namespace, dataConverter: { payloadCodecs: [codec] } });
    clients.set(namespace, client);
    const handle = client.getHandle(row.execution_id, temporalRunId);
    return { handle, argument: RawValue.fromPayload((await encode(row, namespace, input)) as Payload) };
  }

  return {
    async query(place: Place, name: string, input: Json, signal: AbortSignal): Promise<Json> {
      const { handle, argument } = await handleOf(place, input);
      const ask = () =>
        connection.withDeadline(systemClock() + QUERY_TIMEOUT_MS, () => handle.query<Json, [RawValue]>(name, argument));
      try {
        return (await connection.withAbortSignal(signal, ask)) ?? null;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof QueryNotRegisteredError) throw handlerFailed('query', name, wordsOf(error));
        if (hasCode(error, CODES.deadlineExceeded, CODES.failedPrecondition))
          throw unansweredQuery(place.row.execution_id);
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
      const { handle, argument } = await handleOf(place, input);
      try {
        const ask = () => handle.executeUpdate<Json, [RawValue]>(name, { args: [argument], updateId });
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
