import type { CommandGroup } from '../shell/command.ts';
import { PLATFORM, withOptions } from '../shell/shared-options.ts';

export const quarantine: CommandGroup = {
  name: 'quarantine',
  summary:
    'see, retry and dismiss stored work that was set aside because the server, or a worker, died with it three times',
  commands: withOptions(PLATFORM, [
    {
      name: 'list',
      summary: 'show what is set aside, oldest first',
      options: {},
      examples: ['quarantine list', 'quarantine list --json'],
      run: async (context) => (await import('./run.ts')).listQuarantine(context),
    },
    {
      name: 'retry',
      summary: 'run it once more; a running server begins within seconds',
      parameters: [{ name: 'id', summary: 'an id from "quarantine list"' }],
      options: {},
      examples: ['quarantine retry 01985f1c-8a52-7c3e-9d0b-2f4b6a1c0e77'],
      run: async (context) => (await import('./run.ts')).retryQuarantined(context),
    },
    {
      name: 'dismiss',
      summary: 'take off the list what ended when it was set aside',
      parameters: [{ name: 'id', summary: 'an id from "quarantine list"' }],
      options: {},
      examples: ['quarantine dismiss 01985f1c-8a52-7c3e-9d0b-2f4b6a1c0e77'],
      run: async (context) => (await import('./run.ts')).dismissQuarantined(context),
    },
  ]),
};
