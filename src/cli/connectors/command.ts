import type { CommandGroup } from '../shell/command.ts';
import { PLATFORM, withOptions } from '../shell/shared-options.ts';

export const connectors: CommandGroup = {
  name: 'connectors',
  summary: 'list and test the configured remote MCP servers',
  commands: withOptions(PLATFORM, [
    {
      name: 'list',
      summary: 'list connectors with the names of their headers, never the values',
      examples: ['connectors list', 'connectors list --json'],
      run: async (context) => (await import('./run.ts')).list(context),
    },
    {
      name: 'test',
      summary: 'connect to each connector as a run would, and list its tools',
      options: { id: { summary: 'only this connector', value: '<id>' } },
      examples: ['connectors test', 'connectors test --id wiki'],
      run: async (context) => (await import('./run.ts')).test(context),
    },
  ]),
};
