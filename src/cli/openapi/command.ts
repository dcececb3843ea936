import type { Command } from '../shell/command.ts';

export const openapi: Command = {
  name: 'openapi',
  summary: 'generate openapi/openapi.json from the routes',
  options: {
    check: { summary: 'write nothing; fail if the committed file differs' },
    file: { summary: 'write to this file instead', value: '<file>' },
  },
  examples: ['openapi', 'openapi --check'],
  run: async (context) => (await import('./run.ts')).openapi(context),
};
