import type { Platform } from '../compose/open-platform.ts';
import type { Config } from '../config/config.ts';
import { openExistingPlatform } from '../operator/open-existing-platform.ts';
import type { Context } from './command.ts';
import { readConfig } from './read-config.ts';

/** The operator's way in: whoever can open the database needs no key. Works beside a running server and without one. */
export async function withPlatform<T>(
  context: Context,
  work: (platform: Platform, config: Config) => Promise<T>,
): Promise<T> {
  const config = readConfig(context);
  const platform = await openExistingPlatform(config);
  try {
    return await work(platform, config);
  } finally {
    await platform.close();
  }
}
