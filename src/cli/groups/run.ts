import type { Platform } from '../../compose/open-platform.ts';
import { type Caller, MEMBER_ROLE, workspaceRoles } from '../../tenants/index.ts';
import type { Context } from '../shell/command.ts';
import { formatTable, formatTime } from '../shell/format-table.ts';
import { parseChoices, parsePage, splitList } from '../shell/parse-values.ts';
import { inOrganization } from '../shell/with-platform.ts';

const ALL = { offset: 0, limit: 1000 };

export async function listGroups(context: Context): Promise<undefined> {
  const { args, output } = context;
  const query = { search: args.text('search'), ...parsePage(context) };
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
}

export async function showGroup(context: Context): Promise<undefined> {
  const found = await inOrganization(context, async ({ tenants }, by) => {
    const { id } = await chooseGroup(context, tenants, by);
    const { organization_id } = by;
    return {
      ...(await tenants.groups.get(organization_id, id)),
      ...(await tenants.groups.members(organization_id, id, ALL)),
      workspaces: (await tenants.groups.workspaces(organization_id, id, ALL)).workspaces,
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
}

export async function createGroup(context: Context): Promise<undefined> {
  const { args, output } = context;
  const parent = args.text('in');
  const group = await inOrganization(context, async ({ tenants }, by) => {
    const parents = parent === undefined ? [] : [(await tenants.groups.choose(by.organization_id, parent)).id];
    const description = args.text('description') ?? null;
    return tenants.groups.create(by, {
      name: args.parameter('name'),
      description,
      target_type: null,
      parentIds: parents,
    });
  });
  output.result(group, `Created the group ${group.name} (${group.id}).`);
}

export function deleteGroup(context: Context): Promise<undefined> {
  return change(context, 'Deleted', ({ tenants }, by, id) => tenants.groups.remove(by, id));
}

export function addToGroup(context: Context): Promise<undefined> {
  return change(context, 'Added the user to', async ({ tenants }, by, id) => {
    const user = await tenants.members.choose(by.organization_id, context.args.parameter('id|email'));
    await tenants.groups.addMembers(by, id, [user.id]);
  });
}

export function removeFromGroup(context: Context): Promise<undefined> {
  return change(context, 'Removed the user from', async ({ tenants }, by, id) => {
    const user = await tenants.members.choose(by.organization_id, context.args.parameter('id|email'));
    await tenants.groups.removeMembers(by, id, [user.id]);
  });
}

export function nestGroups(context: Context): Promise<undefined> {
  const words = splitList(context.args.parameter('groups')).filter((word) => word !== 'none');
  return change(context, `Nested ${words.join(', ') || 'no groups'} in`, async ({ tenants }, by, id) => {
    const children: string[] = [];
    for (const word of words) children.push((await tenants.groups.choose(by.organization_id, word)).id);
    await tenants.groups.setChildren(by, id, children);
  });
}

export function assignGroup(context: Context): Promise<undefined> {
  const roles = parseChoices('role', context.args.text('roles') ?? MEMBER_ROLE, workspaceRoles);
  return change(context, `Assigned ${roles.join(', ')} to`, async ({ tenants }, by, id) =>
    tenants.groups.assign(by, id, await workspaceOf(context, tenants, by), roles),
  );
}

export function unassignGroup(context: Context): Promise<undefined> {
  return change(context, 'Removed the workspace roles of', async ({ tenants }, by, id) =>
    tenants.groups.unassign(by, id, await workspaceOf(context, tenants, by)),
  );
}

async function change(
  context: Context,
  done: string,
  work: (platform: Platform, by: Caller, id: string) => Promise<void>,
): Promise<undefined> {
  const group = await inOrganization(context, async (platform, by) => {
    const found = await chooseGroup(context, platform.tenants, by);
    await work(platform, by, found.id);
    return found;
  });
  context.output.result({ id: group.id, name: group.name }, `${done} the group ${group.name}.`);
}

function chooseGroup({ args }: Context, tenants: Platform['tenants'], { organization_id }: Caller) {
  return tenants.groups.choose(organization_id, args.parameter('group'));
}

async function workspaceOf(
  { args }: Context,
  tenants: Platform['tenants'],
  { organization_id }: Caller,
): Promise<string> {
  return (await tenants.chooseWorkspace({ organization: organization_id, workspace: args.parameter('workspace') })).id;
}
