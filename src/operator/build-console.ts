import type { Config } from '../config/config.ts';
import { appPlaces, BuildFailed, type BuildNews, buildApp } from '../console/index.ts';
import { CommandFailure } from './command-failure.ts';

/** For images and read-only checkouts: the console is built when they are made, and not at the first start. */
export async function buildConsole(
  { dataDir }: Config,
  options: { signal: AbortSignal; onNews: (news: BuildNews) => void },
): Promise<string> {
  try {
    return await buildApp(appPlaces(dataDir), options);
  } catch (error) {
    if (error instanceof BuildFailed) throw new CommandFailure(`The console could not be built. ${error.message}`);
    throw error;
  }
}
