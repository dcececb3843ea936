import type { CommandGroup } from '../shell/command.ts';
import { PLATFORM } from '../shell/shared-options.ts';

export const moderation: CommandGroup = {
  name: 'moderation',
  summary: 'evaluate the moderation model',
  commands: [
    {
      name: 'evaluate',
      summary: 'print precision and recall by category on a held-out test set',
      options: {
        model: { summary: 'its id or alias (default: the first moderation model)', value: '<id>' },
        ...PLATFORM,
      },
      examples: ['moderation evaluate', 'moderation evaluate --json'],
      run: async (context) => (await import('./run.ts')).evaluate(context),
    },
  ],
};
