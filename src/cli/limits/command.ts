import type { CommandGroup, Option } from '../shell/command.ts';
import { PLATFORM, withOptions } from '../shell/shared-options.ts';

const SCOPE = {
  key: { summary: 'an API key', value: '<id|name>' },
  workspace: { summary: 'a workspace', value: '<id|name>' },
  organization: { summary: 'an organization, or the one to find the workspace or key in', value: '<id|name>' },
} as const satisfies Record<string, Option>;

export const limits: CommandGroup = {
  name: 'limits',
  summary: 'manage request, token, cost and storage limits of keys, workspaces and organizations',
  commands: withOptions(PLATFORM, [
    {
      name: 'show',
      summary: 'show the limits of a scope and its parents, or all limits',
      options: SCOPE,
      examples: ['limits show', 'limits show --key laptop', 'limits show --workspace Default --json'],
      run: async (context) => (await import('./run.ts')).showLimitsOf(context),
    },
    {
      name: 'set',
      summary: 'set limits of a scope; the others stay, and running servers apply the change within a second',
      options: {
        ...SCOPE,
        'requests-per-second': { summary: 'a whole number from 1', value: '<n|none>' },
        'tokens-per-minute': { summary: 'a whole number from 1', value: '<n|none>' },
        'monthly-budget': { summary: 'in the currency of the model prices', value: '<amount|none>' },
        'storage-mib': { summary: 'what a workspace or an organization may store, in MiB', value: '<n|none>' },
      },
      examples: [
        'limits set --key laptop --requests-per-second 5',
        'limits set --workspace Default --tokens-per-minute 100000 --monthly-budget 50',
        'limits set --organization Acme --monthly-budget none',
        'limits set --workspace Default --storage-mib 10240',
      ],
      run: async (context) => (await import('./run.ts')).setLimitsOf(context),
    },
    {
      name: 'clear',
      summary: 'remove the limits of a scope, so that the defaults of the configuration file apply',
      options: SCOPE,
      examples: ['limits clear --key laptop'],
      run: async (context) => (await import('./run.ts')).clearLimitsOf(context),
    },
  ]),
};
