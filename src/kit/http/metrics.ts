import { AggregatorRegistry, type MetricObject, Registry } from 'prom-client';
import { DurationHistogram } from './duration-histogram.ts';
import { addProcessMetrics } from './process-metrics.ts';
import type { HttpObserver } from './server.ts';

export type Metrics = {
  registry: Registry;
  observer: HttpObserver;
  dump(): Promise<RenderedMetrics>;
  /** For another process, which adds them up. */
  read(): Promise<ReadMetrics>;
};
export type RenderedMetrics = { text: string; contentType: string };
export type ReadMetrics = MetricObject[];

/** The metrics of several processes as one. */
export async function mergeMetrics(all: ReadMetrics[]): Promise<RenderedMetrics> {
  const merged = AggregatorRegistry.aggregate(all);
  return { text: await merged.metrics(), contentType: merged.contentType };
}

/** Request counts and durations by route pattern, method and status, and the process's own figures. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  addProcessMetrics(registry);
  const durations = new DurationHistogram(
    'http_request_duration_seconds',
    'Time from the request to the end of its answer',
  );
  registry.registerMetric(durations.asMetric());
  return {
    registry,
    observer: {
      onResponse: (request, reply, route, elapsedMs) =>
        durations.observe(request.method, route, reply.statusCode, elapsedMs / 1000),
    },
    dump: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
    read: () => registry.getMetricsAsJSON(),
  };
}
