import { setTimeout as sleep } from 'node:timers/promises';
import { errorStyles } from '../app.ts';
import { createPace } from '../batch/index.ts';
import type { Config } from '../config/config.ts';
import type { DatasetService } from '../datasets/index.ts';
import { createDatasetReader, createEvaluationService, type EvaluationService } from '../evaluations/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { WatchQueue } from '../kit/fair-queue/index.ts';
import { type AnyRoute, callRoute, styleOf } from '../kit/http/index.ts';

type Ports = Omit<
  Parameters<typeof createEvaluationService>[0],
  'datasets' | 'callEndpoint' | 'enter' | 'wait' | 'concurrency' | 'requestMs' | 'retentionDays' | 'now'
>;

/** Evaluations call the same routes as clients, and take turns as batch jobs do. */
export function openEvaluations(
  { file }: Config,
  ports: Ports,
  options: { datasets: DatasetService; routes: () => AnyRoute[]; lastArrivalMs: () => number; watch: WatchQueue },
): EvaluationService {
  const { concurrency, per_organization: perTenantMax, request_timeout_seconds } = file.batch;
  const { lastArrivalMs, watch } = options;
  const pace = createPace({ concurrency, perTenantMax, lastArrivalMs, watch });
  return createEvaluationService({
    ...ports,
    datasets: createDatasetReader(options.datasets),
    callEndpoint(endpoint, call) {
      const found = options.routes().find(({ method, path }) => method === 'POST' && path === endpoint);
      if (!found) throw new Error(`No room serves ${endpoint}.`);
      return callRoute(found, call, styleOf(errorStyles, endpoint));
    },
    enter: pace.enter,
    wait: (ms, signal) => sleep(ms, undefined, { signal }),
    concurrency,
    requestMs: request_timeout_seconds * 1000,
    retentionDays: file.traces.retention_days,
    now: systemClock,
  });
}
