import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import type { QueueReport, Scope } from '../../kit/http/index.ts';
import type { Tasks } from '../../kit/tasks/index.ts';
import type { Model, ModelService } from '../../models/index.ts';
import type { ConsoleHealth, ModelHealth } from '../schema/health.ts';

/** The state of database, models and tasks, as this process sees it. */
export function createHealthReport(deps: {
  database: Database;
  tasks: Pick<Tasks, 'stats'>;
  models: ModelService;
  engineOf: (modelId: string) => string;
  reportQueues: () => QueueReport[];
  version: string;
  now: Clock;
}) {
  const { database, tasks, models, engineOf, reportQueues, version, now } = deps;
  const startedAt = isoMicros(now);

  function describeModels(
    workspaceId: string,
  ): (ModelHealth & { aliases: string[]; capabilities: Record<string, boolean> })[] {
    return models.served(workspaceId).map(({ id, aliases, standsFor = [], capabilities, tuned, engine }) => {
      const state = engine.state();
      return {
        id,
        engine: engineOf(tuned?.root ?? id),
        state: state.kind,
        detail: state.kind === 'ready' ? null : state.reason,
        device: toDevice(engine.device?.()),
        aliases: [...aliases, ...standsFor],
        capabilities: { ...capabilities },
      };
    });
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
        models: describeModels(workspace_id).map(({ id, engine, state, detail, device }) => ({
          ...{ id, engine, state, detail, device },
        })),
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
