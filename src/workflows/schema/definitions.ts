import { z } from 'zod';
import { limitJson } from '../../kit/http/index.ts';
import { parseDuration } from './parse-duration.ts';

/** Fixed segments of our paths; a workflow of such a name could not be reached. */
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

const shown = { name: z.string(), description: text, input_schema: JsonObject };
const answering = { ...shown, output_schema: JsonObject.nullable().optional() };

const SignalDefinition = z.object(shown).meta({ id: 'SignalDefinition' });
const QueryDefinition = z.object(answering).meta({ id: 'QueryDefinition' });
const UpdateDefinition = z.object(answering).meta({ id: 'UpdateDefinition' });
export type HandlerDefinition = z.infer<typeof UpdateDefinition>;

export const WorkflowCodeDefinition = z
  .object({
    input_schema: JsonObject,
    output_schema: JsonObject.nullable().optional(),
    signals: z.array(SignalDefinition).optional(),
    queries: z.array(QueryDefinition).optional(),
    updates: z.array(UpdateDefinition).optional(),
    enforce_determinism: z.boolean().default(false),
    on_behalf_of: z.boolean().default(false),
    execution_timeout: z.number().optional(),
    plugin_metadata: JsonObject.nullable().optional(),
  })
  .meta({ id: 'WorkflowCodeDefinition' });
type Shown = z.output<typeof WorkflowCodeDefinition>;
/** The stored form, with defaults filled in. */
export type WorkflowCodeDefinition = Omit<Shown, 'signals' | 'queries' | 'updates' | 'execution_timeout'> & {
  signals: HandlerDefinition[];
  queries: HandlerDefinition[];
  updates: HandlerDefinition[];
  execution_timeout: number;
};

const EXECUTION_TIMEOUT_SECONDS = 3600;
/** About a hundred years: no timeout. */
const EXECUTION_TIMEOUT_SECONDS_MAX = 3_153_600_000;

const Seconds = z.number().positive().max(EXECUTION_TIMEOUT_SECONDS_MAX);

/** In seconds; official Python workers send an ISO 8601 duration. */
const ExecutionTimeout = z
  .union([Seconds, z.string().meta({ maxLength: 64 }).transform(secondsOf).pipe(Seconds)])
  .default(EXECUTION_TIMEOUT_SECONDS);

function secondsOf(text: string): number {
  if (text.length > 64) return Number.NaN;
  return (parseDuration(text) ?? Number.NaN) / 1000;
}

const name = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[a-zA-Z0-9_-]+$/);

export const WorkflowName = name.refine((given) => !RESERVED_NAMES.includes(given), {
  message: 'this word is part of the addresses of the API and cannot be the name of a workflow',
});

export const DeploymentName = name;

const HandlerSpec = z.strictObject({
  ...answering,
  description: z.string().max(4096).nullable().optional(),
  name: z.string().min(1).max(128),
});
const handlers = z.array(HandlerSpec).max(100).default([]);

/** With all its schemas, as JSON: it is kept and shown in lists. */
const SPEC_CHARACTERS_MAX = 1024 * 1024;

/** A workflow as a worker registers it. */
export const WorkflowSpec = z
  .strictObject({
    input_schema: JsonObject,
    output_schema: JsonObject.nullable().optional(),
    signals: handlers,
    queries: handlers,
    updates: handlers,
    enforce_determinism: z.boolean().default(false),
    on_behalf_of: z.boolean().default(false),
    execution_timeout: ExecutionTimeout,
    plugin_metadata: JsonObject.nullable().optional(),
    name: WorkflowName,
    task_queue: z.string().max(256).nullable().optional(),
    display_name: z.string().min(1).max(128).nullable().optional(),
    description: z.string().max(4096).nullable().optional(),
    is_technical: z.boolean().default(false),
    search_keys: z.array(z.string().min(1).max(256)).max(20).default([]),
    /** Schedules are objects of their own; older workers still send the list. */
    schedules: z.array(z.unknown()).max(0).optional(),
  })
  .check(limitJson(SPEC_CHARACTERS_MAX));
export type WorkflowSpec = z.output<typeof WorkflowSpec>;
