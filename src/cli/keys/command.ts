import type { CommandGroup } from '../shell/command.ts';
import { ORGANIZATION, PLATFORM, withOptions } from '../shell/shared-options.ts';

export const keys: CommandGroup = {
  name: 'keys',
  summary: 'create, list and revoke API keys',
  commands: withOptions(PLATFORM, [
    {
      name: 'create',
      summary: 'create an API key; its value is shown only once',
      options: {
        admin: { summary: 'a key for the administrative API of an organization' },
        name: { summary: 'its name', value: '<text>' },
        workspace: { summary: 'the workspace it opens; required if there are several', value: '<id|name>' },
        user: { summary: 'the user it acts as; required if there are several admins', value: '<email>' },
        organization: ORGANIZATION,
        expires: { summary: 'its last day in UTC (2027-01-31), or its lifetime (30d, 12h)', value: '<when>' },
      },
      examples: ['keys create --name laptop', 'keys create --name ci --expires 30d', 'keys create --admin'],
      run: async (context) => (await import('./run.ts')).createKey(context),
    },
    {
      name: 'list',
      summary: 'list keys, never their values',
      options: { organization: { ...ORGANIZATION, summary: 'only keys of this organization' } },
      examples: ['keys list', 'keys list --json'],
      run: async (context) => (await import('./run.ts')).listKeys(context),
    },
    {
      name: 'revoke',
      summary: 'revoke a key; running servers reject it within a second',
      parameters: [{ name: 'id', summary: 'the id of the key, from keys list' }],
      examples: ['keys revoke 7c9e6679-7425-40de-944b-e07fc1f90ae7'],
      run: async (context) => (await import('./run.ts')).revokeKey(context),
    },
  ]),
};
