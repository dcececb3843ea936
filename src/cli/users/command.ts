import type { CommandGroup, Option } from '../shell/command.ts';
import { IN_ORGANIZATION, LINK_URL, PAGE, USER, withOptions } from '../shell/shared-options.ts';

const ROLES = {
  roles: { summary: 'comma-separated: member, billing_manager, organization_admin', value: '<roles>' },
} as const satisfies Record<string, Option>;

export const users: CommandGroup = {
  name: 'users',
  summary: 'manage the members of an organization and its invitations',
  commands: withOptions(IN_ORGANIZATION, [
    {
      name: 'list',
      summary: 'list members, then pending invitations',
      options: {
        email: { summary: 'only email addresses that contain this text', value: '<text>' },
        ...PAGE,
      },
      examples: ['users list', 'users list --email example.com --page 2', 'users list --json'],
      run: async (context) => (await import('./run.ts')).listUsers(context),
    },
    {
      name: 'show',
      summary: 'show a user with their roles and workspaces',
      parameters: [USER],
      examples: ['users show ann@example.com'],
      run: async (context) => (await import('./run.ts')).showUser(context),
    },
    {
      name: 'invite',
      summary: 'invite one or more people; prints the links if no mail server is configured',
      parameters: [{ name: 'emails', summary: 'one email address, or several separated by commas' }],
      options: {
        ...ROLES,
        workspaces: { summary: 'workspaces to join, by id or name, comma-separated', value: '<names>' },
        url: LINK_URL,
      },
      examples: ['users invite ann@example.com', 'users invite ann@example.com,bo@example.com --workspaces Default'],
      run: async (context) => (await import('./run.ts')).inviteUsers(context),
    },
    {
      name: 'link',
      summary: 'create a one-time link with which a user sets a new password and signs in to the console',
      parameters: [USER],
      options: { url: LINK_URL },
      examples: ['users link ann@example.com'],
      run: async (context) => (await import('./run.ts')).linkUser(context),
    },
    {
      name: 'reset-second-factor',
      summary: 'remove the second factor of a user who lost it, with its recovery codes; ends their sessions',
      parameters: [USER],
      examples: ['users reset-second-factor ann@example.com'],
      run: async (context) => (await import('./run.ts')).resetSecondFactor(context),
    },
    {
      name: 'uninvite',
      summary: 'withdraw an invitation; its link stops working',
      parameters: [{ name: 'email', summary: 'the invited email address' }],
      examples: ['users uninvite ann@example.com'],
      run: async (context) => (await import('./run.ts')).uninviteUser(context),
    },
    {
      name: 'add',
      summary: 'add a member without an invitation',
      parameters: [{ name: 'email', summary: 'the email address' }],
      options: {
        'first-name': { summary: 'first name', value: '<text>' },
        'last-name': { summary: 'last name', value: '<text>' },
        ...ROLES,
        'existing-account': {
          summary: 'an account of another organization with this address joins at once, without its owner’s consent',
        },
        url: LINK_URL,
      },
      examples: ['users add ann@example.com --first-name Ann --last-name Lee'],
      run: async (context) => (await import('./run.ts')).addUser(context),
    },
    {
      name: 'set-roles',
      summary: 'replace the organization roles of a user',
      parameters: [USER, { name: 'roles', summary: 'all roles, comma-separated' }],
      examples: ['users set-roles ann@example.com organization_admin'],
      run: async (context) => (await import('./run.ts')).setUserRoles(context),
    },
    {
      name: 'remove',
      summary: 'remove a user from the organization; their keys stop working within a second, their objects stay',
      parameters: [USER],
      examples: ['users remove ann@example.com'],
      run: async (context) => (await import('./run.ts')).removeUser(context),
    },
  ]),
};
