import { existsSync } from 'node:fs';
import { access, constants, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { builtFile, isBuilt, packageFile } from '../../../kit/base/locations.ts';

export type AppPaths = {
  /** The source code of the app; an image may lack it. */
  sources: string;
  /** The build that every server of this checkout or package uses. */
  shared: string;
  /** The build of this data dir, for a checkout that cannot be written. */
  own: string;
};

export const CONSOLE_DIR = packageFile('console');

export function appPaths(dataDir: string, sources = CONSOLE_DIR): AppPaths {
  return { sources, shared: isBuilt ? builtFile('console') : join(sources, 'dist'), own: join(dataDir, 'console') };
}

export function hasSources({ sources }: Pick<AppPaths, 'sources'>): boolean {
  return existsSync(join(sources, 'index.html'));
}

/** The shared path, if this process may write there. */
export async function chooseTarget({ shared, own }: AppPaths): Promise<string> {
  try {
    await access(dirname(shared), constants.W_OK);
    return shared;
  } catch {
    await mkdir(dirname(own), { recursive: true });
    return own;
  }
}
