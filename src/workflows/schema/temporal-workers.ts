import { z } from 'zod';
import { DeploymentName } from './definitions.ts';
import { CustomTaskEvent, Failure, JsonValue } from './worker-tasks.ts';

const place = {
  execution_id: z.string().min(1).max(1000),
  /** The Temporal run id. */
  run_id: z.string().min(1).max(256),
  key: z.string().min(1).max(256),
};
const step = { seq: z.int().min(0), name: z.string().min(1).max(256) };

const Report = z.discriminatedUnion('type', [
  z.strictObject({ ...place, type: z.literal('started') }),
  z.strictObject({ ...place, type: z.literal('ended') }),
  z.strictObject({ ...place, ...step, type: z.literal('step_started'), input: z.array(JsonValue) }),
  z.strictObject({ ...place, ...step, type: z.literal('step_completed'), result: JsonValue }),
  z.strictObject({
    ...place,
    ...step,
    type: z.literal('step_failed'),
    attempt: z.int().min(1),
    failure: Failure,
    retried: z.boolean(),
  }),
  z.strictObject({ ...place, type: z.literal('custom_task'), event: CustomTaskEvent }),
  z.strictObject({
    ...place,
    type: z.literal('search_keys'),
    keys: z.record(z.string(), z.string().nullable()),
  }),
]);

export const ReportsRequest = z.strictObject({
  deployment_name: DeploymentName,
  worker_name: z.string().min(1).max(256),
  reports: z.array(Report).max(500),
});

export const PayloadKeysResponse = z.strictObject({
  keys: z.array(z.strictObject({ id: z.string(), key: z.string() })),
});

export const FindWorkflowRequest = z.strictObject({
  workflow_name: z.string().min(1).max(256),
  deployment_name: DeploymentName.nullable().optional(),
});
export type FindWorkflowRequest = z.output<typeof FindWorkflowRequest>;

export const FindWorkflowResponse = z.strictObject({
  deployment_name: z.string(),
  execution_timeout_ms: z.number(),
});
export type FindWorkflowResponse = z.output<typeof FindWorkflowResponse>;
