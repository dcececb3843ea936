import type * as Activity from '@temporalio/activity';
import type * as Worker from '@temporalio/worker';

const PACKAGES = ['@temporalio/worker', '@temporalio/workflow', '@temporalio/activity', '@temporalio/common'];

/** Temporal's packages are large and native, so they are loaded only by workers that need them. */
export async function loadTemporal(): Promise<{ worker: typeof Worker; activity: typeof Activity }> {
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
