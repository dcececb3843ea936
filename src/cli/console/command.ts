import type { CommandGroup } from '../shell/command.ts';
import { PLATFORM } from '../shell/shared-options.ts';

export const webConsole: CommandGroup = {
  name: 'console',
  summary: 'build the web console',
  commands: [
    {
      name: 'build',
      summary: 'build the web console ahead of the first start, for images and read-only checkouts',
      options: PLATFORM,
      examples: ['console build'],
      run: async (context) => (await import('./run.ts')).buildTheConsole(context),
    },
  ],
};
