import { systemClock } from '../../kit/base/clock.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Ctrl-C reaches us from the terminal and once more from npm or the launcher, which pass it on. */
const ECHO_MS = 250;

/** Resolves at the first signal; at the second, unless it is an echo of the first, `onSecond` runs. */
export function listenForSignals(onSecond: () => void): Promise<void> {
  let first: { signal: NodeJS.Signals; atMs: number } | undefined;
  return new Promise((resolve) => {
    const listener = (signal: NodeJS.Signals) => {
      if (!first) {
        first = { signal, atMs: systemClock() };
        resolve();
      } else if (signal !== first.signal || systemClock() - first.atMs > ECHO_MS) onSecond();
    };
    for (const signal of SIGNALS) process.on(signal, listener);
  });
}
