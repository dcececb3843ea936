import type { CommandGroup, Parameter } from '../shell/command.ts';
import { IN_ORGANIZATION, PAGE, USER, WORKSPACE_ROLES, withOptions } from '../shell/shared-options.ts';

const WORKSPACE: Parameter = { name: 'id|name', summary: 'the workspace' };

export const workspaces: CommandGroup = {
  name: 'workspaces',
  summary: 'manage the workspaces of an organization and their members',
  commands: withOptions(IN_ORGANIZATION, [
    {
      name: 'list',
      summary: 'list workspaces',
      options: {
        archived: { summary: 'list archived workspaces instead' },
        search: { summary: 'only names that contain this text', value: '<text>' },
        ...PAGE,
      },
      examples: ['workspaces list', 'workspaces list --archived --json'],
      run: async (context) => (await import('./run.ts')).listWorkspaces(context),
    },
    {
      name: 'create',
      summary: 'create a workspace',
      options: {
        name: { summary: 'its name (required)', value: '<text>' },
        description: { summary: 'its description', value: '<text>' },
        admin: { summary: 'its first admin (required)', value: '<id|email>' },
        everybody: { summary: 'add all members of the organization' },
      },
      examples: ['workspaces create --name Research --admin ann@example.com'],
      run: async (context) => (await import('./run.ts')).createWorkspace(context),
    },
    {
      name: 'update',
      summary: 'change the name or description of a workspace',
      parameters: [WORKSPACE],
      options: {
        name: { summary: 'the new name', value: '<text>' },
        description: { summary: 'the new description', value: '<text>' },
      },
      examples: ['workspaces update Research --name Science'],
      run: async (context) => (await import('./run.ts')).updateWorkspace(context),
    },
    {
      name: 'archive',
      summary: 'archive a workspace; its keys stop working within a second, its contents stay',
      parameters: [WORKSPACE],
      examples: ['workspaces archive Research'],
      run: async (context) => (await import('./run.ts')).archiveWorkspace(context),
    },
    {
      name: 'add-user',
      summary: 'add a member to a workspace, or change the roles of an existing one',
      parameters: [WORKSPACE, USER],
      options: WORKSPACE_ROLES,
      examples: ['workspaces add-user Default ann@example.com --roles dev'],
      run: async (context) => (await import('./run.ts')).addToWorkspace(context),
    },
    {
      name: 'remove-user',
      summary: 'remove a member from a workspace',
      parameters: [WORKSPACE, USER],
      examples: ['workspaces remove-user Default ann@example.com'],
      run: async (context) => (await import('./run.ts')).removeFromWorkspace(context),
    },
  ]),
};
