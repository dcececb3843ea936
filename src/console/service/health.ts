import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import type { QueueReport, Scope } from '../../kit/http/index.ts';
import type { Tasks } from '../../kit/tasks/index.ts';
import type { Model, ModelService } from '../../models/index.ts';
import type { ConsoleError, ConsoleHealth, ModelHealth } from '../schema/health.ts';
import { createModelProbes } from './probe-models.ts';

const UNREACHABLE = 'The model server cannot be reached. Start it, or correct its address.';
/** Failures of so many minutes are shown. */
const FAILURE_MINUTES = 10;
const FAILURES_READ = 200;
const SERVER_ERROR = 500;

/** The state of database, models and tasks, as this process sees it. */
export function createHealthReport(deps: {
  database: Database;
  tasks: Pick<Tasks, 'stats'>;
  models: ModelService;
  engineOf: (modelId: string) => string;
  reportQueues: () => QueueReport[];
  version: string;
  /** The latest failed requests of a workspace. */
  listErrors: (workspaceId: string, limit: number) => ConsoleError[];
  now: Clock;
}) {
  const { database, tasks, models, engineOf, reportQueues, version, listErrors, now } = deps;
  const answers = createModelProbes(now);
  const startedAt = isoMicros(now);

  type DescribedModel = ModelHealth &
    Pick<Model, 'aliases' | 'name' | 'description' | 'max_context_length'> & {
      capabilities: Record<string, boolean>;
      base: string | null;
    };

  function describeModels(workspaceId: string): Promise<DescribedModel[]> {
    return Promise.all(models.served(workspaceId).map(describeModel));
  }

  async function describeModel(model: Model): Promise<DescribedModel> {
    const { id, aliases, standsFor = [], capabilities, tuned, classifier, engine } = model;
    const { name, description, max_context_length } = model;
    const base = classifier?.root ?? tuned?.root ?? null;
    const isThere = await answers(engine);
    const state = isThere ? engine.state() : { kind: 'failed' as const, reason: UNREACHABLE };
    return {
      id,
      engine: engineOf(base ?? id),
      state: state.kind,
      detail: state.kind === 'ready' ? null : state.reason,
      device: toDevice(engine.device?.()),
      aliases: [...aliases, ...standsFor],
      capabilities: { ...capabilities },
      ...{ name, description, max_context_length, base },
    };
  }

  /** Requests that failed here, not those that were refused. */
  function countFailures(workspaceId: string): ConsoleHealth['failures'] {
    const since = new Date(now() - FAILURE_MINUTES * 60_000).toISOString();
    const failed = listErrors(workspaceId, FAILURES_READ).filter(
      ({ at, status }) => status >= SERVER_ERROR && at >= since,
    );
    return { minutes: FAILURE_MINUTES, count: failed.length, last: failed[0]?.message ?? null };
  }

  return {
    describeModels,
    async read({ workspace_id }: Scope): Promise<ConsoleHealth> {
      const startedMs = performance.now();
      await database.ping();
      const latency_ms = Math.round((performance.now() - startedMs) * 100) / 100;
      const stats = await tasks.stats(database.db);
      return {
        version,
        started_at: startedAt,
        database: { kind: database.kind, latency_ms },
        models: (await describeModels(workspace_id)).map(({ id, engine, state, detail, device }) => ({
          ...{ id, engine, state, detail, device },
        })),
        failures: countFailures(workspace_id),
        tasks: stats.map(({ queue, waiting, running, dead, oldestDueAgeMs }) => ({
          queue,
          waiting,
          running,
          dead,
          oldest_due_seconds: Math.round(oldestDueAgeMs / 1000),
        })),
        queues: reportQueues().map(({ queue, running, waiting, tenants, oldestMs }) => ({
          queue,
          running,
          waiting,
          waiting_organizations: tenants,
          oldest_wait_seconds: Math.round(oldestMs / 1000),
        })),
      };
    },
  };
}

type Device = NonNullable<ReturnType<NonNullable<Model['engine']['device']>>>;

function toDevice(device: Device | undefined): ModelHealth['device'] {
  if (!device) return null;
  const { kind, names, memoryBytes, freeBytes, layers, gpuLayers, note } = device;
  return { kind, names, memory_bytes: memoryBytes, free_bytes: freeBytes, layers, gpu_layers: gpuLayers, note };
}
