import { z } from 'zod';
import { queryInt } from '../../kit/http/index.ts';

const ERRORS_MAX = 200;

/** What a model of this machine runs on. Memory is the GPU's, measured when the model had been loaded. */
const ModelDevice = z.object({
  kind: z.enum(['cpu', 'cuda', 'vulkan', 'metal']),
  names: z.array(z.string()),
  memory_bytes: z.number().nullable(),
  free_bytes: z.number().nullable(),
  layers: z.int(),
  gpu_layers: z.int(),
  /** Why less of it runs on the GPU than was asked for. */
  note: z.string().nullable(),
});

export const ModelHealth = z.object({
  id: z.string(),
  engine: z.string(),
  state: z.enum(['ready', 'waiting', 'failed']),
  detail: z.string().nullable(),
  /** Null until it is loaded, and for engines that do not choose one. */
  device: ModelDevice.nullable(),
});
export type ModelHealth = z.infer<typeof ModelHealth>;

export const ConsoleHealth = z.object({
  version: z.string(),
  started_at: z.string(),
  database: z.object({ kind: z.enum(['sqlite', 'postgres']), latency_ms: z.number() }),
  models: z.array(ModelHealth),
  /** Requests of the workspace that failed here in the last minutes, and what the last one said. */
  failures: z.object({ minutes: z.int(), count: z.int(), last: z.string().nullable() }),
  tasks: z.array(
    z.object({
      queue: z.string(),
      waiting: z.int(),
      running: z.int(),
      dead: z.int(),
      /** How long the oldest due task has been waiting. */
      oldest_due_seconds: z.number(),
    }),
  ),
  /** Work that takes turns by tenant; only queues in which something runs or waits. */
  queues: z.array(
    z.object({
      queue: z.string(),
      running: z.int(),
      waiting: z.int(),
      waiting_organizations: z.int(),
      oldest_wait_seconds: z.number(),
    }),
  ),
});
export type ConsoleHealth = z.infer<typeof ConsoleHealth>;

export const ErrorsQuery = z.strictObject({ limit: queryInt().min(1).max(ERRORS_MAX).default(50) });

export const ConsoleError = z.object({
  at: z.string(),
  method: z.string(),
  route: z.string(),
  status: z.int(),
  request_id: z.string(),
  message: z.string(),
  /** The key, or the user of the session. */
  key_id: z.string(),
});
export type ConsoleError = z.infer<typeof ConsoleError>;
export const ConsoleErrors = z.object({ errors: z.array(ConsoleError) });
