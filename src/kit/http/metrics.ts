import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { HttpObserver } from './server.ts';

export type Metrics = {
  registry: Registry;
  observer: HttpObserver;
  dump(): Promise<{ text: string; contentType: string }>;
};

/** Request counts and durations by route pattern, method and status, and the process's own figures. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60],
    registers: [registry],
  });
  // Looking a child up by its labels costs more than the observation, so each is kept.
  const children = new Map<string, { observe(value: number): void }>();
  return {
    registry,
    observer: {
      onResponse(request, reply, route) {
        const key = `${request.method} ${reply.statusCode} ${route}`;
        let child = children.get(key);
        if (!child) {
          child = durations.labels(request.method, route, String(reply.statusCode));
          children.set(key, child);
        }
        child.observe(reply.elapsedTime / 1000);
      },
    },
    dump: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  };
}
