import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';

const NANOS_PER_SECOND = 1e9;
/** Looking a hundred times a second costs more CPU than all else that an idle server does, so it looks while somebody reads. */
const UNREAD_MS = 5 * 60 * 1000;
const FIRST_LOOK_MS = 50;

type Delays = ReturnType<typeof monitorEventLoopDelay>;

const FIGURES = [
  ['min', 'The minimum recorded event loop delay.', 'min', (delays: Delays) => delays.min],
  ['max', 'The maximum recorded event loop delay.', 'max', (delays: Delays) => delays.max],
  ['mean', 'The mean of the recorded event loop delays.', 'average', (delays: Delays) => delays.mean],
  ['stddev', 'The standard deviation of the recorded event loop delays.', 'average', (delays: Delays) => delays.stddev],
  [
    'p50',
    'The 50th percentile of the recorded event loop delays.',
    'average',
    (delays: Delays) => delays.percentile(50),
  ],
  [
    'p90',
    'The 90th percentile of the recorded event loop delays.',
    'average',
    (delays: Delays) => delays.percentile(90),
  ],
  [
    'p99',
    'The 99th percentile of the recorded event loop delays.',
    'average',
    (delays: Delays) => delays.percentile(99),
  ],
] as const;

/** Replaces the library's gauges of the same names, which look from the start of the process on. */
export function watchEventLoop(registry: Registry): void {
  const delays = monitorEventLoopDelay();
  let unread: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    if (unread) unread.refresh();
    else {
      delays.enable();
      unread = setTimeout(() => {
        delays.disable();
        unread = undefined;
      }, UNREAD_MS).unref();
      await delay(FIRST_LOOK_MS);
    }
    for (const [gauge, read] of gauges) gauge.set(read(delays) / NANOS_PER_SECOND);
    delays.reset();
  }

  // All gauges are collected at the same time.
  const lookOnce = (): Promise<void> => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };

  const gauges = FIGURES.map(([figure, help, aggregator, read]) => {
    const name = `nodejs_eventloop_lag_${figure}_seconds`;
    registry.removeSingleMetric(name);
    return [new Gauge({ name, help, aggregator, registers: [registry], collect: lookOnce }), read] as const;
  });
}
