import type { Config } from '../config/config.ts';
import { appPaths, BuildFailed, type BuildProgress, buildApp, findBuilt } from '../console/index.ts';
import { isBuilt } from '../kit/base/locations.ts';
import { CommandFailure } from './command-failure.ts';

/** Builds the console ahead of the first start, for images and read-only checkouts. A package has it built already. */
export async function buildConsole(
  { dataDir }: Config,
  options: { signal: AbortSignal; onProgress: (progress: BuildProgress) => void },
): Promise<{ dir: string; wasThere: boolean }> {
  const paths = appPaths(dataDir);
  const packed = isBuilt ? await findBuilt(paths) : undefined;
  if (packed !== undefined) return { dir: packed, wasThere: true };
  try {
    return { dir: await buildApp(paths, options), wasThere: false };
  } catch (error) {
    if (error instanceof BuildFailed) throw new CommandFailure(`The console could not be built. ${error.message}`);
    throw error;
  }
}
