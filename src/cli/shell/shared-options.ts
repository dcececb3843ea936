import type { Option } from './command.ts';

/** Where the platform is; the environment says it otherwise. */
export const PLACE = {
  'data-dir': { summary: 'where the data lies, instead of TRAMONTANE_DATA_DIR', value: '<dir>' },
  config: { summary: 'the YAML file, instead of TRAMONTANE_CONFIG', value: '<file>' },
} as const satisfies Record<string, Option>;

export const ORGANIZATION = { summary: 'its id or name; needed if there are several', value: '<id|name>' };
