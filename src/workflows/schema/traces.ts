import { z } from 'zod';

export const ExecutionTraceInfoResponse = z
  .object({ otel_trace_id: z.string().nullable().optional(), has_trace_data: z.boolean().default(false) })
  .meta({ id: 'ExecutionTraceInfoResponse' });
export type ExecutionTraceInfoResponse = z.output<typeof ExecutionTraceInfoResponse>;
