import { z } from 'zod';

const JsonObject = z.record(z.string(), z.unknown());
const Name = z.string().min(1).max(256);
/** A payload of 2 MiB with its envelope. */
const BASE64_CHARACTERS_MAX = 4 * 1024 * 1024;

export const EncodedPayloadOptions = z
  .enum(['offloaded', 'encrypted', 'encrypted-partial', 'compressed'])
  .meta({ id: 'EncodedPayloadOptions' });

export const NetworkEncodedInput = z
  .strictObject({
    b64payload: z.string().max(BASE64_CHARACTERS_MAX),
    encoding_options: z.array(EncodedPayloadOptions).max(10).default([]),
    empty: z.boolean().default(false),
  })
  .meta({ id: 'NetworkEncodedInput' });
export type NetworkEncodedInput = z.output<typeof NetworkEncodedInput>;

const input = z.union([NetworkEncodedInput, JsonObject]).nullable().optional();

export const SignalInvocationBody = z.strictObject({ name: Name, input }).meta({ id: 'SignalInvocationBody' });
export const QueryInvocationBody = z.strictObject({ name: Name, input }).meta({ id: 'QueryInvocationBody' });
export const UpdateInvocationBody = z.strictObject({ name: Name, input }).meta({ id: 'UpdateInvocationBody' });
export type Invocation = z.output<typeof SignalInvocationBody>;

export const SignalWorkflowResponse = z
  .object({ message: z.string().default('Signal accepted') })
  .meta({ id: 'SignalWorkflowResponse' });
export const QueryWorkflowResponse = z
  .object({ query_name: z.string(), result: z.unknown() })
  .meta({ id: 'QueryWorkflowResponse' });
export type QueryWorkflowResponse = z.output<typeof QueryWorkflowResponse>;
export const UpdateWorkflowResponse = z
  .object({ update_name: z.string(), result: z.unknown() })
  .meta({ id: 'UpdateWorkflowResponse' });
export type UpdateWorkflowResponse = z.output<typeof UpdateWorkflowResponse>;

export const ResetInvocationBody = z
  .strictObject({
    event_id: z.int(),
    reason: z.string().max(4096).nullable().optional(),
    exclude_signals: z.boolean().default(false),
    exclude_updates: z.boolean().default(false),
  })
  .meta({ id: 'ResetInvocationBody' });
export type ResetInvocationBody = z.output<typeof ResetInvocationBody>;

export const BatchExecutionBody = z
  .strictObject({ execution_ids: z.array(z.string().max(256)).min(1).max(100) })
  .meta({ id: 'BatchExecutionBody' });

const BatchExecutionResult = z
  .object({ status: z.string(), error: z.string().nullable().optional() })
  .meta({ id: 'BatchExecutionResult' });

export const BatchExecutionResponse = z
  .object({ results: z.record(z.string(), BatchExecutionResult).optional() })
  .meta({ id: 'BatchExecutionResponse' });
export type BatchExecutionResponse = z.output<typeof BatchExecutionResponse>;
