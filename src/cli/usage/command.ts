import type { Command } from '../shell/command.ts';
import { ORGANIZATION, PLATFORM } from '../shell/shared-options.ts';

export const usage: Command = {
  name: 'usage',
  summary: 'show the requests, tokens and cost of an organization (default: this month, by model)',
  options: {
    by: { summary: 'group by day, month, model, kind, workspace or key; comma-separated', value: '<parts>' },
    month: { summary: 'a month in UTC', value: '<yyyy-mm>' },
    from: { summary: 'the first day in UTC', value: '<yyyy-mm-dd>' },
    to: { summary: 'the last day in UTC (default: today)', value: '<yyyy-mm-dd>' },
    organization: ORGANIZATION,
    workspace: { summary: 'only this workspace', value: '<id|name>' },
    key: { summary: 'only this key', value: '<id|name>' },
    model: { summary: 'only this model', value: '<id>' },
    ...PLATFORM,
  },
  examples: ['usage', 'usage --by day,model', 'usage --month 2027-01 --by key --json'],
  run: async (context) => (await import('./run.ts')).showUsage(context),
};
