import type { Command, CommandGroup, Option } from '../shell/command.ts';
import { ORGANIZATION, PLACE } from '../shell/shared-options.ts';

const SCOPE = {
  key: { summary: 'the key', value: '<id|name>' },
  workspace: { summary: 'the workspace', value: '<id|name>' },
  organization: { summary: 'the organization, or where to look for the workspace or key', value: '<id|name>' },
} as const satisfies Record<string, Option>;

export const limits: CommandGroup = {
  name: 'limits',
  summary: 'requests, tokens and money that keys, workspaces and organizations may use',
  commands: [
    {
      name: 'show',
      summary: 'show what holds for a scope and those around it; without one, every limit there is',
      options: { ...SCOPE, ...PLACE },
      examples: ['limits show', 'limits show --key laptop', 'limits show --workspace Default --json'],
      run: async (context) => (await import('./run.ts')).showLimitsOf(context),
    },
    {
      name: 'set',
      summary: 'set limits of a scope; those not named stay, and running servers heed it within a second',
      options: {
        ...SCOPE,
        'requests-per-second': { summary: 'a whole number from 1', value: '<n|none>' },
        'tokens-per-minute': { summary: 'a whole number from 1', value: '<n|none>' },
        'monthly-budget': { summary: 'in the currency of the prices', value: '<amount|none>' },
        ...PLACE,
      },
      examples: [
        'limits set --key laptop --requests-per-second 5',
        'limits set --workspace Default --tokens-per-minute 100000 --monthly-budget 50',
        'limits set --organization Acme --monthly-budget none',
      ],
      run: async (context) => (await import('./run.ts')).setLimitsOf(context),
    },
    {
      name: 'clear',
      summary: 'forget the limits of a scope, so that those of the file hold again',
      options: { ...SCOPE, ...PLACE },
      examples: ['limits clear --key laptop'],
      run: async (context) => (await import('./run.ts')).clearLimitsOf(context),
    },
  ],
};

export const usage: Command = {
  name: 'usage',
  summary: 'show requests, tokens and cost of an organization; this month, by model, unless told',
  options: {
    by: { summary: 'day, month, model, kind, workspace or key; several with commas between', value: '<parts>' },
    month: { summary: 'a month in UTC', value: '<yyyy-mm>' },
    from: { summary: 'the first day in UTC', value: '<yyyy-mm-dd>' },
    to: { summary: 'the last day in UTC; today if left out', value: '<yyyy-mm-dd>' },
    organization: ORGANIZATION,
    workspace: { summary: 'only this workspace', value: '<id|name>' },
    key: { summary: 'only this key', value: '<id|name>' },
    model: { summary: 'only this model', value: '<id>' },
    ...PLACE,
  },
  examples: ['usage', 'usage --by day,model', 'usage --month 2027-01 --by key --json'],
  run: async (context) => (await import('../usage/run.ts')).showUsage(context),
};
