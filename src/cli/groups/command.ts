import type { CommandGroup, Parameter } from '../shell/command.ts';
import { IN_ORGANIZATION, PAGE, USER, WORKSPACE_ROLES, withOptions } from '../shell/shared-options.ts';

const GROUP: Parameter = { name: 'group', summary: 'the id or name of the group' };
const WORKSPACE: Parameter = { name: 'workspace', summary: 'the id or name of the workspace' };

export const groups: CommandGroup = {
  name: 'groups',
  summary: 'manage user groups: members, nesting and workspace roles',
  commands: withOptions(IN_ORGANIZATION, [
    {
      name: 'list',
      summary: 'list groups',
      options: {
        search: { summary: 'only names that contain this text', value: '<text>' },
        ...PAGE,
      },
      examples: ['groups list', 'groups list --json'],
      run: async (context) => (await import('./run.ts')).listGroups(context),
    },
    {
      name: 'show',
      summary: 'show a group with its members, nested groups and roles',
      parameters: [GROUP],
      examples: ['groups show Writers'],
      run: async (context) => (await import('./run.ts')).showGroup(context),
    },
    {
      name: 'create',
      summary: 'create a group',
      parameters: [{ name: 'name', summary: 'its name' }],
      options: {
        description: { summary: 'its description', value: '<text>' },
        in: { summary: 'the parent group', value: '<id|name>' },
      },
      examples: ['groups create Writers', 'groups create Editors --in Writers'],
      run: async (context) => (await import('./run.ts')).createGroup(context),
    },
    {
      name: 'delete',
      summary: 'delete a group; its members lose the roles it gave them',
      parameters: [GROUP],
      examples: ['groups delete Writers'],
      run: async (context) => (await import('./run.ts')).deleteGroup(context),
    },
    {
      name: 'add-user',
      summary: 'add a member of the organization to a group',
      parameters: [GROUP, USER],
      examples: ['groups add-user Writers ann@example.com'],
      run: async (context) => (await import('./run.ts')).addToGroup(context),
    },
    {
      name: 'remove-user',
      summary: 'remove a user from a group',
      parameters: [GROUP, USER],
      examples: ['groups remove-user Writers ann@example.com'],
      run: async (context) => (await import('./run.ts')).removeFromGroup(context),
    },
    {
      name: 'set-nested',
      summary: 'replace the groups nested in a group; cycles are rejected',
      parameters: [GROUP, { name: 'groups', summary: 'all nested groups by id or name, comma-separated, or none' }],
      examples: ['groups set-nested Writers Editors,Authors', 'groups set-nested Writers none'],
      run: async (context) => (await import('./run.ts')).nestGroups(context),
    },
    {
      name: 'assign',
      summary: 'give a group roles in a workspace',
      parameters: [GROUP, WORKSPACE],
      options: WORKSPACE_ROLES,
      examples: ['groups assign Writers Default --roles contributor'],
      run: async (context) => (await import('./run.ts')).assignGroup(context),
    },
    {
      name: 'unassign',
      summary: 'remove a group from a workspace',
      parameters: [GROUP, WORKSPACE],
      examples: ['groups unassign Writers Default'],
      run: async (context) => (await import('./run.ts')).unassignGroup(context),
    },
  ]),
};
