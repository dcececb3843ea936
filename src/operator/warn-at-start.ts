import type { Platform } from '../compose/open-platform.ts';
import type { Config } from '../config/config.ts';
import { explainMissingPackages } from '../engines/index.ts';
import type { Logger } from '../kit/base/log.ts';
import type { BootstrapResult } from '../tenants/index.ts';
import { findMissingContent } from './find-missing-content.ts';

/** Logs settings that had no effect, and packages and files that are missing; none stops the start. */
export async function warnAtStart(
  config: Config,
  { database, tenants }: Platform,
  bootstrap: BootstrapResult,
  log: Logger,
): Promise<void> {
  const keys = {
    TRAMONTANE_BOOTSTRAP_API_KEY: config.bootstrap.apiKey,
    TRAMONTANE_BOOTSTRAP_ADMIN_KEY: config.bootstrap.adminKey,
  };
  for (const [name, value] of bootstrap.created ? [] : Object.entries(keys)) {
    if (value && !(await tenants.keys.isKnown(value)))
      log.warn(
        `${name} was ignored: this platform was set up before, with another key. Create a new key with "tramontane keys create".`,
      );
  }
  for (const { id, engine } of config.file.models) {
    const obstacle = explainMissingPackages(engine, `The model '${id}'`);
    if (obstacle) log.warn(obstacle);
  }
  const missing = database.kind === 'postgres' && (await findMissingContent(database, config));
  if (missing) log.error(`${missing.what} ${missing.fix}`);
}
