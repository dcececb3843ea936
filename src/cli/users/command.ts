import type { CommandGroup, Option, Parameter } from '../shell/command.ts';
import { ORGANIZATION, PLACE } from '../shell/shared-options.ts';

const WHERE = { organization: ORGANIZATION, ...PLACE };
const USER: Parameter = { name: 'id|email', summary: 'the user' };
const WORKSPACE: Parameter = { name: 'id|name', summary: 'the workspace' };
const GROUP: Parameter = { name: 'group', summary: 'its id or name' };
const PAGE = {
  page: { summary: 'which page, from 1', value: '<n>' },
  'page-size': { summary: 'how many at once; 25 if left out', value: '<n>' },
} as const satisfies Record<string, Option>;
const ORGANIZATION_ROLES = {
  roles: { summary: 'member, billing_manager, organization_admin; several with commas between', value: '<roles>' },
} as const satisfies Record<string, Option>;
const WORKSPACE_ROLES = {
  roles: {
    summary: 'such as workspace_admin or dev; several with commas; workspace_contributor if left out',
    value: '<roles>',
  },
} as const satisfies Record<string, Option>;

export const users: CommandGroup = {
  name: 'users',
  summary: 'the people of an organization, and who is invited',
  commands: [
    {
      name: 'list',
      summary: 'list the members, then who is invited',
      options: { email: { summary: 'only addresses that hold this', value: '<text>' }, ...PAGE, ...WHERE },
      examples: ['users list', 'users list --email example.com --page 2', 'users list --json'],
      run: async (context) => (await import('./run.ts')).listUsers(context),
    },
    {
      name: 'show',
      summary: 'show a user, their roles and their workspaces',
      parameters: [USER],
      options: WHERE,
      examples: ['users show ann@example.com'],
      run: async (context) => (await import('./run.ts')).showUser(context),
    },
    {
      name: 'invite',
      summary: 'invite one address or several; without mail the links are printed',
      parameters: [{ name: 'emails', summary: 'one address, or several with commas between' }],
      options: {
        ...ORGANIZATION_ROLES,
        workspaces: { summary: 'which to join, by id or name; several with commas between', value: '<names>' },
        url: { summary: 'where the links lead, instead of TRAMONTANE_PUBLIC_URL', value: '<url>' },
        ...WHERE,
      },
      examples: ['users invite ann@example.com', 'users invite ann@example.com,bo@example.com --workspaces Default'],
      run: async (context) => (await import('./run.ts')).inviteUsers(context),
    },
    {
      name: 'link',
      summary: 'make a one-time link with which a user sets a new password and signs in to the console',
      parameters: [USER],
      options: {
        url: { summary: 'where the link leads, instead of TRAMONTANE_PUBLIC_URL', value: '<url>' },
        ...WHERE,
      },
      examples: ['users link ann@example.com'],
      run: async (context) => (await import('./run.ts')).linkUser(context),
    },
    {
      name: 'uninvite',
      summary: 'withdraw an invitation; its link ends',
      parameters: [{ name: 'email', summary: 'who was invited' }],
      options: WHERE,
      examples: ['users uninvite ann@example.com'],
      run: async (context) => (await import('./run.ts')).uninviteUser(context),
    },
    {
      name: 'add',
      summary: 'make somebody a member without an invitation',
      parameters: [{ name: 'email', summary: 'their address' }],
      options: {
        'first-name': { summary: 'their first name', value: '<text>' },
        'last-name': { summary: 'their last name', value: '<text>' },
        ...ORGANIZATION_ROLES,
        ...WHERE,
      },
      examples: ['users add ann@example.com --first-name Ann --last-name Lee'],
      run: async (context) => (await import('./run.ts')).addUser(context),
    },
    {
      name: 'set-roles',
      summary: 'set the roles that a user has in the organization',
      parameters: [USER, { name: 'roles', summary: 'all of them, with commas between' }],
      options: WHERE,
      examples: ['users set-roles ann@example.com organization_admin'],
      run: async (context) => (await import('./run.ts')).setUserRoles(context),
    },
    {
      name: 'remove',
      summary: 'take a user out of the organization: their keys end within a second, their objects stay',
      parameters: [USER],
      options: WHERE,
      examples: ['users remove ann@example.com'],
      run: async (context) => (await import('./run.ts')).removeUser(context),
    },
  ],
};

export const workspaces: CommandGroup = {
  name: 'workspaces',
  summary: 'the workspaces of an organization and who is in them',
  commands: [
    {
      name: 'list',
      summary: 'list the workspaces',
      options: {
        archived: { summary: 'the archived ones instead' },
        search: { summary: 'only names that hold this', value: '<text>' },
        ...PAGE,
        ...WHERE,
      },
      examples: ['workspaces list', 'workspaces list --archived --json'],
      run: async (context) => (await import('../workspaces/run.ts')).listWorkspaces(context),
    },
    {
      name: 'create',
      summary: 'make a workspace',
      options: {
        name: { summary: 'its name', value: '<text>' },
        description: { summary: 'what it is for', value: '<text>' },
        admin: { summary: 'its first admin', value: '<id|email>' },
        everybody: { summary: 'add all members of the organization' },
        ...WHERE,
      },
      examples: ['workspaces create --name Research --admin ann@example.com'],
      run: async (context) => (await import('../workspaces/run.ts')).createWorkspace(context),
    },
    {
      name: 'update',
      summary: 'change the name or the description of a workspace',
      parameters: [WORKSPACE],
      options: {
        name: { summary: 'its new name', value: '<text>' },
        description: { summary: 'its new description', value: '<text>' },
        ...WHERE,
      },
      examples: ['workspaces update Research --name Science'],
      run: async (context) => (await import('../workspaces/run.ts')).updateWorkspace(context),
    },
    {
      name: 'archive',
      summary: 'archive a workspace: its keys stop within a second, what is in it stays',
      parameters: [WORKSPACE],
      options: WHERE,
      examples: ['workspaces archive Research'],
      run: async (context) => (await import('../workspaces/run.ts')).archiveWorkspace(context),
    },
    {
      name: 'add-user',
      summary: 'add a member to a workspace, or set the roles of one who is there',
      parameters: [WORKSPACE, USER],
      options: { ...WORKSPACE_ROLES, ...WHERE },
      examples: ['workspaces add-user Default ann@example.com --roles dev'],
      run: async (context) => (await import('../workspaces/run.ts')).addToWorkspace(context),
    },
    {
      name: 'remove-user',
      summary: 'take a member out of a workspace',
      parameters: [WORKSPACE, USER],
      options: WHERE,
      examples: ['workspaces remove-user Default ann@example.com'],
      run: async (context) => (await import('../workspaces/run.ts')).removeFromWorkspace(context),
    },
  ],
};

export const groups: CommandGroup = {
  name: 'groups',
  summary: 'user groups: members, nesting and roles in workspaces',
  commands: [
    {
      name: 'list',
      summary: 'list the groups',
      options: { search: { summary: 'only names that hold this', value: '<text>' }, ...PAGE, ...WHERE },
      examples: ['groups list', 'groups list --json'],
      run: async (context) => (await import('../groups/run.ts')).listGroups(context),
    },
    {
      name: 'show',
      summary: 'show a group: its members, what is nested in it, its roles',
      parameters: [GROUP],
      options: WHERE,
      examples: ['groups show Writers'],
      run: async (context) => (await import('../groups/run.ts')).showGroup(context),
    },
    {
      name: 'create',
      summary: 'make a group',
      parameters: [{ name: 'name', summary: 'its name' }],
      options: {
        description: { summary: 'what it is for', value: '<text>' },
        in: { summary: 'the group it is nested in', value: '<id|name>' },
        ...WHERE,
      },
      examples: ['groups create Writers', 'groups create Editors --in Writers'],
      run: async (context) => (await import('../groups/run.ts')).createGroup(context),
    },
    {
      name: 'delete',
      summary: 'delete a group; what it gave its members ends',
      parameters: [GROUP],
      options: WHERE,
      examples: ['groups delete Writers'],
      run: async (context) => (await import('../groups/run.ts')).deleteGroup(context),
    },
    {
      name: 'add-user',
      summary: 'put a member of the organization into a group',
      parameters: [GROUP, USER],
      options: WHERE,
      examples: ['groups add-user Writers ann@example.com'],
      run: async (context) => (await import('../groups/run.ts')).addToGroup(context),
    },
    {
      name: 'remove-user',
      summary: 'take a user out of a group',
      parameters: [GROUP, USER],
      options: WHERE,
      examples: ['groups remove-user Writers ann@example.com'],
      run: async (context) => (await import('../groups/run.ts')).removeFromGroup(context),
    },
    {
      name: 'set-nested',
      summary: 'say which groups are nested in a group; a circle is refused',
      parameters: [GROUP, { name: 'groups', summary: 'all of them by id or name, with commas between, or none' }],
      options: WHERE,
      examples: ['groups set-nested Writers Editors,Authors', 'groups set-nested Writers none'],
      run: async (context) => (await import('../groups/run.ts')).nestGroups(context),
    },
    {
      name: 'assign',
      summary: 'give a group roles in a workspace',
      parameters: [GROUP, { name: 'workspace', summary: 'its id or name' }],
      options: { ...WORKSPACE_ROLES, ...WHERE },
      examples: ['groups assign Writers Default --roles contributor'],
      run: async (context) => (await import('../groups/run.ts')).assignGroup(context),
    },
    {
      name: 'unassign',
      summary: 'take a group out of a workspace',
      parameters: [GROUP, { name: 'workspace', summary: 'its id or name' }],
      options: WHERE,
      examples: ['groups unassign Writers Default'],
      run: async (context) => (await import('../groups/run.ts')).unassignGroup(context),
    },
  ],
};

export const audit: CommandGroup = {
  name: 'audit',
  summary: 'read, check, export and shorten the audit log',
  commands: [
    {
      name: 'list',
      summary: 'show the newest entries of an organization',
      options: {
        events: { summary: 'only these, such as api_key.create; several with commas between', value: '<events>' },
        user: { summary: 'only what this user did', value: '<id>' },
        after: { summary: 'only later than this', value: '<time>' },
        before: { summary: 'only earlier than this', value: '<time>' },
        limit: { summary: 'how many, up to 1000; 20 if left out', value: '<n>' },
        ...WHERE,
      },
      examples: ['audit list', 'audit list --events api_key.create,api_key.delete --limit 100 --json'],
      run: async (context) => (await import('../audit/run.ts')).listAudit(context),
    },
    {
      name: 'verify',
      summary: 'check that no entry of the audit log was changed, removed or moved, and print the heads',
      options: {
        organization: { ...ORGANIZATION, summary: 'only the log of this one' },
        noted: { summary: 'the --json output of an earlier run, which the log must still contain', value: '<file>' },
        ...PLACE,
      },
      examples: ['audit verify', 'audit verify --json > heads.json', 'audit verify --noted heads.json'],
      run: async (context) => (await import('../audit/run.ts')).verifyAudit(context),
    },
    {
      name: 'export',
      summary: 'write the log of an organization to a new file, one JSON object a line, with the hashes',
      parameters: [{ name: 'file', summary: 'a file that does not exist yet' }],
      options: WHERE,
      examples: ['audit export audit-2027.jsonl'],
      run: async (context) => (await import('../audit/run.ts')).exportAudit(context),
    },
    {
      name: 'prune',
      summary: 'let old entries go and put a signed checkpoint in their place; export them first',
      options: {
        'older-than': { summary: 'their age, such as 365d', value: '<duration>' },
        organization: { ...ORGANIZATION, summary: 'only the log of this one' },
        ...PLACE,
      },
      examples: ['audit prune --older-than 365d', 'audit prune --older-than 52w --organization Acme'],
      run: async (context) => (await import('../audit/run.ts')).pruneAudit(context),
    },
  ],
};
