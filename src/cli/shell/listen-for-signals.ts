import { systemClock } from '../../kit/base/clock.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** npm and the launcher forward Ctrl-C, which the terminal sends as well. */
const ECHO_MS = 250;

/** Resolves on the first signal; a second one that is not an echo of it calls `onSecond`. */
export function listenForSignals(onSecond: () => void, signals: readonly NodeJS.Signals[] = SIGNALS): Promise<void> {
  let first: { signal: NodeJS.Signals; atMs: number } | undefined;
  return new Promise((resolve) => {
    const listener = (signal: NodeJS.Signals) => {
      if (!first) {
        first = { signal, atMs: systemClock() };
        resolve();
      } else if (signal !== first.signal || systemClock() - first.atMs > ECHO_MS) onSecond();
    };
    for (const signal of signals) process.on(signal, listener);
  });
}
