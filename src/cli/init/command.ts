import type { Command } from '../shell/command.ts';

export const init: Command = {
  name: 'init',
  summary: 'create an example project: an agent whose replies a person approves',
  parameters: [{ name: 'dir', summary: 'an empty or a new folder (default: my-workflows)', optional: true }],
  examples: ['init', 'init support-desk'],
  run: async (context) => (await import('./run.ts')).init(context),
};
