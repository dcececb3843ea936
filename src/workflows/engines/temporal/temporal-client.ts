import {
  type Connection,
  QueryNotRegisteredError,
  WorkflowClient,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure, type Payload, type PayloadCodec, RawValue } from '@temporalio/common';
import { type Json, QUERY_FAILURE } from '../../../../packages/workflows/src/protocol.ts';
import { systemClock } from '../../../kit/base/clock.ts';
import { ApiError } from '../../../kit/http/index.ts';
import { workflowErrors } from '../../errors.ts';
import type { RunRow } from '../../store/run-tables.ts';
import { QUERY_TIMEOUT_MS } from '../port/limits.ts';
import type { EncodeValue } from './encode-values.ts';
import { CODES, hasCode, rethrowUnreachable } from './grpc.ts';
import type { Namespaces } from './namespaces.ts';
import type { SealedValues } from './sealed-values.ts';
import { plainOf } from './wf-payloads.ts';

type Target = { row: RunRow; temporalRunId: string };

/** Queries and updates, which wait for workflow code. */
export function createTemporalClient(options: {
  connection: Connection;
  namespaces: Namespaces;
  encode: EncodeValue;
  sealed: SealedValues;
}) {
  const { connection, namespaces, encode, sealed } = options;
  const clients = new Map<string, WorkflowClient>();

  /** Results are decoded here; arguments are encoded already. */
  const codecFor = (workspaceId: string): PayloadCodec => ({
    encode: async (payloads) => payloads,
    decode: async (payloads) => payloads.map((payload) => plainOf(sealed.open(workspaceId, payload)) as Payload),
  });

  async function handleOf({ row, temporalRunId }: Target, input: Json) {
    const namespace = await namespaces.ensureNamespace(row.workspace_id);
    const client =
      clients.get(namespace) ??
      new WorkflowClient({ connection, namespace, dataConverter: { payloadCodecs: [codecFor(row.workspace_id)] } });
    clients.set(namespace, client);
    const handle = client.getHandle(row.execution_id, temporalRunId);
    return { handle, argument: RawValue.fromPayload((await encode(row, namespace, input)) as Payload) };
  }

  return {
    async query(target: Target, name: string, input: Json, signal: AbortSignal): Promise<Json> {
      const { handle, argument } = await handleOf(target, input);
      const ask = () =>
        connection.withDeadline(systemClock() + QUERY_TIMEOUT_MS, () => handle.query<Json, [RawValue]>(name, argument));
      try {
        return parseResult(name, (await connection.withAbortSignal(signal, ask)) ?? null);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ApiError) throw error;
        if (error instanceof QueryNotRegisteredError)
          throw workflowErrors.handler_failed('query', name, messageOf(error));
        if (hasCode(error, CODES.deadlineExceeded, CODES.failedPrecondition))
          throw workflowErrors.query_timeout(target.row.execution_id);
        if (hasCode(error, CODES.invalidArgument)) throw workflowErrors.handler_failed('query', name, messageOf(error));
        return rethrowUnreachable(error);
      }
    },

    /** Undefined when the run ended before the update. */
    async update(
      target: Target,
      updateId: string,
      name: string,
      input: Json,
      signal: AbortSignal,
    ): Promise<{ result: Json } | undefined> {
      const { handle, argument } = await handleOf(target, input);
      try {
        const ask = () => handle.executeUpdate<Json, [RawValue]>(name, { args: [argument], updateId });
        return { result: (await connection.withAbortSignal(signal, ask)) ?? null };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof WorkflowUpdateFailedError) {
          if (isRunOver(error.cause)) return undefined;
          throw workflowErrors.handler_failed('update', name, messageOf(error.cause ?? error));
        }
        if (hasCode(error, CODES.notFound) || (error as Error).name === 'WorkflowNotFoundError') return undefined;
        return rethrowUnreachable(error);
      }
    },
  };
}

/** The run ended before the handler of an accepted update did. */
function isRunOver(cause: unknown): boolean {
  return cause instanceof ApplicationFailure && cause.type === 'AcceptedUpdateCompletedWorkflow';
}

/** Encrypting workers report the failure of a handler as its result. */
function parseResult(name: string, answer: Json): Json {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return answer;
  const words = answer[QUERY_FAILURE];
  if (typeof words === 'string') throw workflowErrors.handler_failed('query', name, words);
  return answer;
}

function messageOf(error: unknown): string {
  const { details, message } = error as { details?: unknown; message: string };
  return typeof details === 'string' && details ? details : message;
}
