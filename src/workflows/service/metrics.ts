import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { workflowErrors } from '../errors.ts';
import type { MetricsQuery, WorkflowMetrics } from '../schema/metrics.ts';
import { countByStatus, countSteps, findFirstStart, listLatencies } from '../store/metrics.ts';
import { findWorkflow } from '../store/workflows.ts';

const BUCKETS = 60;
const BUCKET_SECONDS_MIN = 60;
/** Retries are counted in the newest runs only, to bound the cost. */
const RUNS_LOOKED_INTO = 500;

export type MetricsService = { get(scope: Scope, workflow: string, query: MetricsQuery): Promise<WorkflowMetrics> };

export function createMetrics({ database, now }: { database: Database; now: Clock }): MetricsService {
  const { db, kind } = database;
  return {
    async get(scope, identifier, query) {
      const workflow = await findWorkflow(db, scope.workspace_id, identifier);
      if (!workflow) throw workflowErrors.workflow_not_found(identifier);
      const to = query.end_time ?? isoMicros(now);
      const first = query.start_time ?? (await findFirstStart(db, scope.workspace_id, workflow.id));
      const window = { workspaceId: scope.workspace_id, workflowId: workflow.id, from: first ?? to, to };
      const statuses = await countByStatus(db, window);
      const seconds = (Date.parse(to) - Date.parse(window.from)) / 1000;
      const latencies = await listLatencies(
        db,
        kind,
        window,
        Math.max(BUCKET_SECONDS_MIN, Math.ceil(seconds / BUCKETS)),
      );
      const { started, retried } = await countSteps(db, kind, window, RUNS_LOOKED_INTO);
      const completed = latencies.reduce((sum, { count }) => sum + count, 0);
      const total = latencies.reduce((sum, { average, count }) => sum + average * count, 0);
      const count = (...wanted: string[]) => wanted.reduce((sum, status) => sum + (statuses.get(status) ?? 0), 0);
      return {
        execution_count: { value: count(...statuses.keys()) },
        success_count: { value: count('COMPLETED') },
        error_count: { value: count('FAILED', 'TIMED_OUT') },
        average_latency_ms: { value: completed === 0 ? 0 : total / completed },
        latency_over_time: { value: latencies.map(({ at, average }) => [at, average]) },
        // Retried attempts divided by all attempts of steps.
        retry_rate: { value: started === 0 ? 0 : retried / (started + retried) },
      };
    },
  };
}
