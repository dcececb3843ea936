import type { Config } from '../config/config.ts';
import { type AppProgress, appPaths, type ConsoleApp, closedApp, openApp } from '../console/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';

export type ConsoleAppOptions = { sources?: string; onProgress?: (progress: AppProgress) => void };

/** The pages of the console; a notice where the console is switched off. */
export function openConsoleApp(
  { dataDir, console: isOn }: Config,
  options: ConsoleAppOptions | undefined,
  log: Logger,
): ConsoleApp {
  if (!options || !isOn) return closedApp();
  return openApp({ paths: appPaths(dataDir, options.sources), now: systemClock, log, onProgress: options.onProgress });
}
