import type { Platform } from '../../compose/open-platform.ts';
import type { Config } from '../../config/config.ts';
import { openExistingPlatform } from '../../operator/open-existing-platform.ts';
import { type Caller, OPERATOR } from '../../tenants/index.ts';
import type { Context } from './command.ts';
import { readConfig } from './read-config.ts';

/** Opens the database directly, without a key; a server may be running. */
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

/** The same for the organization of --organization, or the only one. */
export function inOrganization<T>(
  context: Context,
  work: (platform: Platform, by: Caller, config: Config) => Promise<T>,
): Promise<T> {
  return withPlatform(context, async (platform, config) => {
    const { id } = await platform.tenants.chooseOrganization(context.args.text('organization'));
    return work(platform, { organization_id: id, actor: OPERATOR }, config);
  });
}

/** The id of the organization that --organization names, if it is given. */
export async function findOrganizationId({ args }: Context, { tenants }: Platform): Promise<string | undefined> {
  const wanted = args.text('organization');
  return wanted === undefined ? undefined : (await tenants.chooseOrganization(wanted)).id;
}
