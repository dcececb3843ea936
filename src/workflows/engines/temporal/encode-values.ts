import type { temporal } from '@temporalio/proto';
import type { Json } from '../../../../packages/workflows/src/protocol.ts';
import type { RunRow } from '../../store/run-tables.ts';
import { toPayload } from './convert.ts';
import type { SealedValues } from './sealed-values.ts';
import { toWfPayload } from './wf-payloads.ts';

type Payload = temporal.api.common.v1.IPayload;

/** Encodes a value for the workers that serve a run. */
export type EncodeValue = (row: RunRow, namespace: string, value: Json, isStart?: boolean) => Promise<Payload>;

/** Our workers take JSON, encrypted if the operator has a key; official ones need the context of the run instead. */
export function createEncodeValue(options: {
  sealed: SealedValues;
  isOfficial: (row: RunRow) => Promise<boolean>;
  tokenOf: (runId: string) => string;
}): EncodeValue {
  return async (row, namespace, value, isStart = false) => {
    if (!(await options.isOfficial(row))) return options.sealed.seal(row.workspace_id, toPayload(value));
    const extensions = row.metadata?.extensions;
    return toWfPayload(value, {
      namespace,
      executionId: row.execution_id,
      rootExecutionId: row.root_execution_id,
      ...(isStart ? { executionToken: options.tokenOf(row.run_id) } : {}),
      ...(isStart && extensions !== undefined ? { extensions } : {}),
    });
  };
}
