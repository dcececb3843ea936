import type { CommandGroup } from '../shell/command.ts';
import { PLACE } from '../shell/shared-options.ts';

export const connectors: CommandGroup = {
  name: 'connectors',
  summary: 'the remote tool servers of the configuration',
  commands: [
    {
      name: 'list',
      summary: 'list them, with the names of their headers and never the values',
      options: PLACE,
      examples: ['connectors list', 'connectors list --json'],
      run: async (context) => (await import('./run.ts')).list(context),
    },
    {
      name: 'test',
      summary: 'connect to each as a run would, and list its tools',
      options: { id: { summary: 'only this one', value: '<id>' }, ...PLACE },
      examples: ['connectors test', 'connectors test --id wiki'],
      run: async (context) => (await import('./run.ts')).test(context),
    },
  ],
};
