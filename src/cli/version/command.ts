import type { Command } from '../shell/command.ts';

export const version: Command = {
  name: 'version',
  summary: 'print the version',
  examples: ['version', 'version --json'],
  run: async (context) => (await import('./run.ts')).printVersion(context),
};
