import type { Command } from '../shell/command.ts';

export const version: Command = {
  name: 'version',
  summary: 'print the version; nothing is sent anywhere unless you ask with --check',
  options: { check: { summary: 'also ask the npm registry whether there is a newer version' } },
  examples: ['version', 'version --check', 'version --json'],
  run: async (context) => (await import('./run.ts')).printVersion(context),
};
