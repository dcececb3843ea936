import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type * as Activity from '@temporalio/activity';
import type * as Worker from '@temporalio/worker';

const PACKAGES = ['@temporalio/worker', '@temporalio/workflow', '@temporalio/activity', '@temporalio/common'];

/** Temporal's packages are large and native, so they are loaded only by workers that need them. */
export async function loadTemporal(
  files: readonly string[],
): Promise<{ worker: typeof Worker; activity: typeof Activity }> {
  resolveFromProject(files);
  try {
    const [worker, activity] = await Promise.all([import('@temporalio/worker'), import('@temporalio/activity')]);
    return { worker, activity };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new TypeError(
      `This server runs workflows on Temporal, which its workers need packages for. Install them beside your workflows: npm install ${PACKAGES.join(' ')}`,
      { cause: error },
    );
  }
}

let isResolving = false;

/** The command may be installed elsewhere than the project that has these packages. */
function resolveFromProject([file]: readonly string[]): void {
  if (isResolving || file === undefined) return;
  isResolving = true;
  const parentURL = pathToFileURL(file).href;
  registerHooks({
    resolve(specifier, context, next) {
      if (!specifier.startsWith('@temporalio/')) return next(specifier, context);
      try {
        return next(specifier, context);
      } catch (error) {
        if (!/^(ERR_)?MODULE_NOT_FOUND$/.test(String((error as NodeJS.ErrnoException).code))) throw error;
        return next(specifier, { ...context, parentURL });
      }
    },
  });
}
