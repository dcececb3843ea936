import type { temporal } from '@temporalio/proto';
import type { Json } from '../../../packages/workflows/src/protocol.ts';
import type { RunRow } from '../engine/tables.ts';
import type { WorkerSdk } from '../store/registrations.ts';
import { toPayload } from './convert.ts';
import { toWfPayload } from './wf-payloads.ts';

type Payload = temporal.api.common.v1.IPayload;

/** A value for the workers of a run, as their SDK reads it. */
export type EncodeFor = (row: RunRow, namespace: string, value: Json, isStart?: 'start') => Promise<Payload>;

export function createEncodeFor(options: {
  executionTokens: { tokenOf(runId: string): string };
  sdkOf: (workspaceId: string, registrationId: string) => Promise<WorkerSdk | undefined>;
}): EncodeFor {
  return async (row, namespace, value, isStart) => {
    if ((await options.sdkOf(row.workspace_id, row.registration_id)) !== 'mistralai') return toPayload(value);
    const extensions = row.metadata?.extensions;
    return toWfPayload(value, {
      namespace,
      executionId: row.execution_id,
      ...(isStart
        ? {
            executionToken: options.executionTokens.tokenOf(row.run_id),
            ...(extensions === undefined ? {} : { extensions }),
          }
        : {}),
    });
  };
}
