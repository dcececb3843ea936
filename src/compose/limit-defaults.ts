import type { Config } from '../config/config.ts';
import { type LimitDefaults, toLimits } from '../metering/index.ts';

/** The `limits` of the configuration file in the units of metering. */
export function limitDefaults({ file }: Pick<Config, 'file'>): LimitDefaults {
  const { key, workspace, organization } = file.limits;
  return { key: toLimits(key), workspace: toLimits(workspace), organization: toLimits(organization) };
}
