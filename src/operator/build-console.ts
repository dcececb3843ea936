import type { Config } from '../config/config.ts';
import { appPaths, BuildFailed, type BuildProgress, buildApp } from '../console/index.ts';
import { CommandFailure } from './command-failure.ts';

/** Builds the console ahead of the first start, for images and read-only checkouts. */
export async function buildConsole(
  { dataDir }: Config,
  options: { signal: AbortSignal; onProgress: (progress: BuildProgress) => void },
): Promise<string> {
  try {
    return await buildApp(appPaths(dataDir), options);
  } catch (error) {
    if (error instanceof BuildFailed) throw new CommandFailure(`The console could not be built. ${error.message}`);
    throw error;
  }
}
