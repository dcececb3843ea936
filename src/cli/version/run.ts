import { version } from '../../config/version.ts';
import type { Context } from '../shell/command.ts';

export async function printVersion({ args, output, environment }: Context): Promise<undefined> {
  const own = { version, node: process.version };
  if (!args.flag('check')) return output.result(own, version) as undefined;
  const [{ readNpmRegistry }, { findLatestVersion, isNewer }] = await Promise.all([
    import('../../config/npm-registry.ts'),
    import('../../operator/find-latest-version.ts'),
  ]);
  const latest = await findLatestVersion(readNpmRegistry(environment));
  const isOutdated = isNewer(latest, version);
  output.result(
    { ...own, latest, update_available: isOutdated },
    isOutdated
      ? `${latest} is available; this is ${version}. Make a backup, then install it the way this one was installed.`
      : `${version} is the newest version.`,
  );
}
