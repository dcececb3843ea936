import type { Command, Option, Parameter } from './command.ts';

type Options = Record<string, Option>;

/** For commands that open the platform's database and files themselves. */
export const PLATFORM = {
  'data-dir': { summary: 'the data directory; overrides TRAMONTANE_DATA_DIR', value: '<dir>' },
  config: { summary: 'the YAML configuration file; overrides TRAMONTANE_CONFIG', value: '<file>' },
} as const satisfies Options;

/** For commands that call a running server with the key in TRAMONTANE_API_KEY. */
export const SERVER = {
  url: { summary: 'the URL of the server; overrides TRAMONTANE_URL', value: '<url>' },
} as const satisfies Options;

export const ORGANIZATION = { summary: 'the organization; required if there are several', value: '<id|name>' };
export const IN_ORGANIZATION = { organization: ORGANIZATION, ...PLATFORM };

export const PAGE = {
  page: { summary: 'the page number, starting at 1', value: '<n>' },
  'page-size': { summary: 'results per page (default: 25)', value: '<n>' },
} as const satisfies Options;

export const WORKSPACE_ROLES = {
  roles: {
    summary: 'comma-separated, such as workspace_admin,dev (default: workspace_contributor)',
    value: '<roles>',
  },
} as const satisfies Options;

export const LINK_URL: Option = {
  summary: 'the base URL of the link; overrides TRAMONTANE_PUBLIC_URL',
  value: '<url>',
};

export const USER: Parameter = { name: 'id|email', summary: 'the user' };

/** The version of a prompt or skill; without either, the latest. */
export const VERSION = {
  version: { summary: 'the version number', value: '<number>' },
  alias: { summary: 'the version that this alias points to', value: '<alias>' },
} as const satisfies Options;

export const REGISTRY_NAME: Parameter = { name: 'name', summary: 'its name or id' };

/** The commands of a group, each with its own options and then these. */
export function withOptions(shared: Options, commands: readonly Command[]): Command[] {
  return commands.map((command) => ({ ...command, options: { ...command.options, ...shared } }));
}

const COMMON = {
  json: { summary: 'print the result or the error as one line of JSON' },
  help: { summary: 'show this help' },
} as const satisfies Options;

/** All options of a command, its own first. */
export function optionsOf(command: Command): Record<string, Option> {
  return { ...command.options, ...COMMON };
}
