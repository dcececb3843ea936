import type { CommandGroup } from '../shell/command.ts';
import { PLATFORM, withOptions } from '../shell/shared-options.ts';

export const secrets: CommandGroup = {
  name: 'secrets',
  summary: 'the key that encrypts stored credentials',
  commands: withOptions(PLATFORM, [
    {
      name: 'rotate',
      summary: 'encrypt all stored credentials with a new key; running servers notice by themselves',
      examples: ['secrets rotate'],
      run: async (context) => (await import('./run.ts')).rotate(context),
    },
  ]),
};
