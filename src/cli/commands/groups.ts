import type { Platform } from '../../compose/open-platform.ts';
import { type Caller, MEMBER_ROLE, workspaceRoles } from '../../tenants/index.ts';
import type { Context, ExitCode } from '../command.ts';
import { formatTable, formatTime } from '../format-table.ts';
import { inOrganization, readPage, readWords, splitWords } from '../in-organization.ts';

const EVERYTHING = { offset: 0, limit: 1000 };

export async function listGroups(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const query = { search: args.text('search'), ...readPage(context) };
  const { groups, total } = await inOrganization(context, ({ tenants }, by) =>
    tenants.groups.list(by.organization_id, query),
  );
  const rows = groups.map(({ id, name, organization_role, created_at, description }) => [
    id,
    name,
    organization_role ?? '-',
    formatTime(created_at),
    description ?? '-',
  ]);
  const table = formatTable(['ID', 'NAME', 'ORGANIZATION ROLE', 'CREATED', 'DESCRIPTION'], rows);
  output.result({ total, groups }, `${table}\n\n${rows.length} of ${total}`);
  return 0;
}

export async function showGroup(context: Context): Promise<ExitCode> {
  const found = await inOrganization(context, async ({ tenants }, by) => {
    const { id } = await chosen(context, tenants, by);
    const { organization_id } = by;
    return {
      ...(await tenants.groups.get(organization_id, id)),
      ...(await tenants.groups.members(organization_id, id, EVERYTHING)),
      workspaces: (await tenants.groups.workspaces(organization_id, id, EVERYTHING)).workspaces,
      nested: await tenants.groups.children(organization_id, id),
    };
  });
  const lines = [
    `${found.name} (${found.id})`,
    ...found.members.map(({ email }) => `Member      ${email}`),
    ...found.nested.map(({ name }) => `Nested      ${name}`),
    ...found.workspaces.map(({ name, roles }) => `Workspace   ${name}: ${roles.join(', ')}`),
  ];
  context.output.result(found, lines.join('\n'));
  return 0;
}

export async function createGroup(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const around = args.text('in');
  const group = await inOrganization(context, async ({ tenants }, by) => {
    const parents = around === undefined ? [] : [(await tenants.groups.choose(by.organization_id, around)).id];
    const description = args.text('description') ?? null;
    return tenants.groups.create(by, {
      name: args.parameter('name'),
      description,
      target_type: null,
      parentIds: parents,
    });
  });
  output.result(group, `The group ${group.name} (${group.id}) is there.`);
  return 0;
}

export function deleteGroup(context: Context): Promise<ExitCode> {
  return change(context, 'is deleted', ({ tenants }, by, id) => tenants.groups.remove(by, id));
}

export function addToGroup(context: Context): Promise<ExitCode> {
  return change(context, 'has the member', async ({ tenants }, by, id) => {
    const user = await tenants.members.choose(by.organization_id, context.args.parameter('id|email'));
    await tenants.groups.addMembers(by, id, [user.id]);
  });
}

export function removeFromGroup(context: Context): Promise<ExitCode> {
  return change(context, 'has the member no more', async ({ tenants }, by, id) => {
    const user = await tenants.members.choose(by.organization_id, context.args.parameter('id|email'));
    await tenants.groups.removeMembers(by, id, [user.id]);
  });
}

export function nestGroups(context: Context): Promise<ExitCode> {
  const words = splitWords(context.args.parameter('groups')).filter((word) => word !== 'none');
  return change(context, `has ${words.join(', ') || 'nothing'} nested in it`, async ({ tenants }, by, id) => {
    const children: string[] = [];
    for (const word of words) children.push((await tenants.groups.choose(by.organization_id, word)).id);
    await tenants.groups.setChildren(by, id, children);
  });
}

export function assignGroup(context: Context): Promise<ExitCode> {
  const roles = readWords('role', context.args.text('roles') ?? MEMBER_ROLE, workspaceRoles);
  return change(context, `is ${roles.join(', ')} there`, async ({ tenants }, by, id) =>
    tenants.groups.assign(by, id, await workspaceOf(context, tenants, by), roles),
  );
}

export function unassignGroup(context: Context): Promise<ExitCode> {
  return change(context, 'is out of the workspace', async ({ tenants }, by, id) =>
    tenants.groups.unassign(by, id, await workspaceOf(context, tenants, by)),
  );
}

async function change(
  context: Context,
  now: string,
  work: (platform: Platform, by: Caller, id: string) => Promise<void>,
): Promise<ExitCode> {
  const group = await inOrganization(context, async (platform, by) => {
    const found = await chosen(context, platform.tenants, by);
    await work(platform, by, found.id);
    return found;
  });
  context.output.result({ id: group.id, name: group.name }, `The group ${group.name} ${now}.`);
  return 0;
}

function chosen({ args }: Context, tenants: Platform['tenants'], { organization_id }: Caller) {
  return tenants.groups.choose(organization_id, args.parameter('group'));
}

async function workspaceOf(
  { args }: Context,
  tenants: Platform['tenants'],
  { organization_id }: Caller,
): Promise<string> {
  return (await tenants.chooseWorkspace({ organization: organization_id, workspace: args.parameter('workspace') })).id;
}
