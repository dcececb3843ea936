import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import { createTracing, type HttpObserver } from '../kit/http/index.ts';

/** Sends a trace of each request to the configured collector, if there is one. */
export function openTracing(
  { otlpEndpoint }: Config,
  log: Logger,
): { observers: HttpObserver[]; stop(): Promise<void> } {
  if (!otlpEndpoint) return { observers: [], stop: async () => undefined };
  const { observer, stop } = createTracing({
    endpoint: otlpEndpoint,
    serviceName: 'tramontane',
    serviceVersion: version,
    now: systemClock,
    log,
  });
  return { observers: [observer], stop };
}
