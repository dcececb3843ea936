import { type Config, loadConfig } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import type { Arguments, Context } from './command.ts';

const PLATFORM = { 'data-dir': 'TRAMONTANE_DATA_DIR', config: 'TRAMONTANE_CONFIG' } as const;

/** The environment with the flags of a command applied. */
export function applyFlags(
  environment: Environment,
  args: Arguments,
  variables: Readonly<Record<string, string>> = PLATFORM,
): Environment {
  const flags = Object.entries(variables).map(([option, variable]) => [variable, args.text(option)] as const);
  return { ...environment, ...Object.fromEntries(flags.filter(([, value]) => value !== undefined)) };
}

export const START_VARIABLES = { host: 'TRAMONTANE_HOST', port: 'TRAMONTANE_PORT', ...PLATFORM } as const;

export function readConfig(
  { args, output, environment }: Context,
  variables?: Readonly<Record<string, string>>,
): Config {
  const config = loadConfig(applyFlags(environment, args, variables));
  for (const warning of config.warnings) output.note(`warning: ${warning}`);
  return config;
}
