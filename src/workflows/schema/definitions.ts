import { z } from 'zod';

/** Words that stand in the paths of this family, so a workflow of that name could not be reached. */
export const RESERVED_NAMES: readonly string[] = [
  'archive',
  'unarchive',
  'events',
  'executions',
  'registrations',
  'runs',
  'schedules',
  'deployments',
  'workers',
  'register',
  'metrics',
];

const JsonObject = z.record(z.string(), z.unknown());
const text = z.string().nullable().optional();

const named = { name: z.string().min(1).max(128), description: text, input_schema: JsonObject };
const answering = { ...named, output_schema: JsonObject.nullable().optional() };

export const SignalDefinition = z.strictObject(named).meta({ id: 'SignalDefinition' });
export const QueryDefinition = z.strictObject(answering).meta({ id: 'QueryDefinition' });
export const UpdateDefinition = z.strictObject(answering).meta({ id: 'UpdateDefinition' });
export type HandlerDefinition = z.infer<typeof UpdateDefinition>;

const EXECUTION_TIMEOUT_SECONDS = 3600;
/** About a hundred years; a workflow that should never time out says so much. */
const EXECUTION_TIMEOUT_SECONDS_MAX = 3_153_600_000;

const code = {
  input_schema: JsonObject,
  output_schema: JsonObject.nullable().optional(),
  signals: z.array(SignalDefinition).max(100).default([]),
  queries: z.array(QueryDefinition).max(100).default([]),
  updates: z.array(UpdateDefinition).max(100).default([]),
  enforce_determinism: z.boolean().default(false),
  on_behalf_of: z.boolean().default(false),
  execution_timeout: z.number().positive().max(EXECUTION_TIMEOUT_SECONDS_MAX).default(EXECUTION_TIMEOUT_SECONDS),
  plugin_metadata: JsonObject.nullable().optional(),
};

export const WorkflowCodeDefinition = z.strictObject(code).meta({ id: 'WorkflowCodeDefinition' });
export type WorkflowCodeDefinition = z.output<typeof WorkflowCodeDefinition>;

const name = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[a-zA-Z0-9_-]+$/);

export const WorkflowName = name.refine((given) => !RESERVED_NAMES.includes(given), {
  message: 'this word is part of the addresses of the API and cannot be the name of a workflow',
});

export const DeploymentName = name;

/** What a worker says of one of its workflows. */
export const WorkflowSpec = z.strictObject({
  ...code,
  name: WorkflowName,
  task_queue: z.string().nullable().optional(),
  display_name: z.string().min(1).max(128).nullable().optional(),
  description: z.string().max(4096).nullable().optional(),
  is_technical: z.boolean().default(false),
  search_keys: z.array(z.string().min(1).max(256)).max(20).default([]),
  /** Schedules are objects of their own; older workers still send the list. */
  schedules: z.array(z.unknown()).max(0).optional(),
});
export type WorkflowSpec = z.output<typeof WorkflowSpec>;
