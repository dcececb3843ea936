import { collectDefaultMetrics, type Registry } from 'prom-client';
import { watchEventLoop } from './event-loop-lag.ts';

/** The library's own looks at the event loop cannot be left out; `watchEventLoop` replaces them. */
const UNUSED_LOOKS_MS = 60_000;
/** Node ends the process when it is asked for handles while one that was forgotten is being closed. The active resources count them too. */
const LEFT_OUT = ['nodejs_active_handles', 'nodejs_active_handles_total'];

/** The process's own figures under the names of the library. */
export function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: UNUSED_LOOKS_MS });
  for (const name of LEFT_OUT) registry.removeSingleMetric(name);
  watchEventLoop(registry);
}
