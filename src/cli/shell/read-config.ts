import { type Config, loadConfig } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import type { Arguments, Context } from './command.ts';

const PLACE = { 'data-dir': 'TRAMONTANE_DATA_DIR', config: 'TRAMONTANE_CONFIG' } as const;

/** The environment with the flags of a command laid over it. */
export function overlay(
  environment: Environment,
  args: Arguments,
  variables: Readonly<Record<string, string>> = PLACE,
): Environment {
  const flags = Object.entries(variables).map(([option, variable]) => [variable, args.text(option)] as const);
  return { ...environment, ...Object.fromEntries(flags.filter(([, value]) => value !== undefined)) };
}

export const START_VARIABLES = { host: 'TRAMONTANE_HOST', port: 'TRAMONTANE_PORT', ...PLACE } as const;

export function readConfig(
  { args, output, environment }: Context,
  variables?: Readonly<Record<string, string>>,
): Config {
  const config = loadConfig(overlay(environment, args, variables));
  for (const warning of config.warnings) output.note(`warning: ${warning}`);
  return config;
}
