import type { CommandGroup } from '../shell/command.ts';
import { LINK_URL, PLATFORM, withOptions } from '../shell/shared-options.ts';

// Copied from the tenants room, so that --help does not load it; a test compares them.
const PLANS = ['free', 'team', 'enterprise'];

export const orgs: CommandGroup = {
  name: 'orgs',
  summary: 'create and list organizations, and set their plans and sign-in rules',
  commands: withOptions(PLATFORM, [
    {
      name: 'create',
      summary: 'create an organization with a workspace and an owner',
      options: {
        name: { summary: 'its name (required)', value: '<text>' },
        plan: { summary: `${PLANS.join(', ')} (default: enterprise)`, value: '<plan>', choices: PLANS },
        'owner-email': { summary: 'its first admin; overrides TRAMONTANE_OWNER_EMAIL', value: '<email>' },
        'existing-account': {
          summary:
            'an account that already has the address of --owner-email joins at once, without its owner’s consent',
        },
        url: LINK_URL,
      },
      examples: ['orgs create --name Acme', 'orgs create --name Acme --plan team --owner-email ann@example.com'],
      run: async (context) => (await import('./run.ts')).createOrganization(context),
    },
    {
      name: 'list',
      summary: 'list organizations',
      examples: ['orgs list'],
      run: async (context) => (await import('./run.ts')).listOrganizations(context),
    },
    {
      name: 'set-plan',
      summary: 'set the plan of an organization; the administrative API requires enterprise',
      parameters: [
        { name: 'id|name', summary: 'the organization' },
        { name: 'plan', summary: PLANS.join(', '), choices: PLANS },
      ],
      examples: ['orgs set-plan Acme enterprise'],
      run: async (context) => (await import('./run.ts')).setPlan(context),
    },
    {
      name: 'set-sign-in',
      summary: 'set how members must have signed in; the way out of a rule that nobody can meet',
      parameters: [{ name: 'id|name', summary: 'the organization' }],
      options: {
        'second-factor': { summary: 'require a second factor of those who sign in with a password' },
        provider: { summary: 'require this provider of the configuration', value: '<id>' },
      },
      examples: ['orgs set-sign-in Acme', 'orgs set-sign-in Acme --second-factor'],
      run: async (context) => (await import('./run.ts')).setSignIn(context),
    },
  ]),
};
