/// <reference path="./prom-client-metrics.d.ts" />
import type { Registry } from 'prom-client';
import eventLoopLag from 'prom-client/lib/metrics/eventLoopLag.js';
import heapSizeAndUsed from 'prom-client/lib/metrics/heapSizeAndUsed.js';
import heapSpacesSizeAndUsed from 'prom-client/lib/metrics/heapSpacesSizeAndUsed.js';
import osMemoryHeap from 'prom-client/lib/metrics/osMemoryHeap.js';
import processCpuTotal from 'prom-client/lib/metrics/processCpuTotal.js';
import processMaxFileDescriptors from 'prom-client/lib/metrics/processMaxFileDescriptors.js';
import processOpenFileDescriptors from 'prom-client/lib/metrics/processOpenFileDescriptors.js';
import processRequests from 'prom-client/lib/metrics/processRequests.js';
import processResources from 'prom-client/lib/metrics/processResources.js';
import processStartTime from 'prom-client/lib/metrics/processStartTime.js';
import version from 'prom-client/lib/metrics/version.js';
import { watchEventLoop } from './event-loop-lag.ts';
import { watchCollections } from './watch-collections.ts';

/** The library's own looks at the event loop cannot be left out; nobody reads them. */
const UNUSED_LOOKS_MS = 60_000;
/**
 * All that the library collects by default, but for collections of garbage and for handles: Node ends the process when it
 * is asked for them while one that was forgotten is being closed. The active resources count them too.
 */
const DEFAULTS = [
  processCpuTotal,
  processStartTime,
  osMemoryHeap,
  processOpenFileDescriptors,
  processMaxFileDescriptors,
  eventLoopLag,
  processResources,
  processRequests,
  heapSizeAndUsed,
  heapSpacesSizeAndUsed,
  version,
];

/** The process's own figures under the names of the library; what costs something is measured while somebody reads it. */
export function addProcessMetrics(registry: Registry): void {
  for (const add of DEFAULTS) add(registry, { eventLoopMonitoringPrecision: UNUSED_LOOKS_MS });
  watchEventLoop(registry);
  watchCollections(registry);
}
