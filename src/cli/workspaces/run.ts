import type { Platform } from '../../compose/open-platform.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import { type Caller, MEMBER_ROLE, workspaceRoles } from '../../tenants/index.ts';
import { type Context, UsageError } from '../shell/command.ts';
import { formatTable, formatTime } from '../shell/format-table.ts';
import { parseChoices, parsePage } from '../shell/parse-values.ts';
import { inOrganization } from '../shell/with-platform.ts';

export async function listWorkspaces(context: Context): Promise<undefined> {
  const { args, output } = context;
  const query = { isArchived: args.flag('archived'), search: args.text('search'), ...parsePage(context) };
  const { workspaces, total } = await inOrganization(context, ({ tenants }, by) =>
    tenants.workspaces.list(by.organization_id, query),
  );
  const rows = workspaces.map(({ id, name, description, members_count, created_at }) => [
    id,
    name,
    String(members_count),
    formatTime(created_at),
    description || '-',
  ]);
  const table = formatTable(['ID', 'NAME', 'MEMBERS', 'CREATED', 'DESCRIPTION'], rows);
  output.result({ total, workspaces }, `${table}\n\n${rows.length} of ${total}`);
}

export async function createWorkspace(context: Context): Promise<undefined> {
  const { args, output } = context;
  const [name, admin] = [args.text('name'), args.text('admin')];
  if (name === undefined || admin === undefined)
    throw new UsageError(
      'A workspace needs a name and an admin: tramontane workspaces create --name <text> --admin <email>',
    );
  const workspace = await inOrganization(context, async ({ tenants }, by) => {
    const { id: adminId } = await tenants.members.choose(by.organization_id, admin);
    const description = args.text('description') ?? '';
    return tenants.workspaces.create(by, {
      name,
      description,
      icon: '',
      adminId,
      addsEverybody: args.flag('everybody'),
    });
  });
  output.result(workspace, `Created the workspace ${workspace.name} (${workspace.id}).`);
}

export async function updateWorkspace(context: Context): Promise<undefined> {
  const { args, output } = context;
  const changes = { name: args.text('name'), description: args.text('description') };
  const workspace = await inOrganization(context, async (platform, by) =>
    platform.tenants.workspaces.update(by, await findWorkspaceId(context, platform, by), changes),
  );
  output.result(workspace, `Updated the workspace ${workspace.name} (${workspace.id}).`);
}

export async function archiveWorkspace(context: Context): Promise<undefined> {
  const id = await inOrganization(context, async (platform, by) => {
    const found = await findWorkspaceId(context, platform, by);
    await platform.tenants.workspaces.archive(by, found);
    return found;
  });
  context.output.result({ id }, 'Archived the workspace; running servers reject its keys within a second.');
}

export async function addToWorkspace(context: Context): Promise<undefined> {
  const { args, output } = context;
  const roles = parseChoices('role', args.text('roles') ?? MEMBER_ROLE, workspaceRoles);
  const member = await inOrganization(context, async (platform, by) => {
    const { members, workspaces } = platform.tenants;
    const { id, email } = await members.choose(by.organization_id, args.parameter('id|email'));
    await workspaces.addMembers(by, await findWorkspaceId(context, platform, by), [{ user_id: id, roles }], 'update');
    return { id, email };
  });
  output.result({ ...member, roles }, `${member.email} now has the roles ${roles.join(', ')} in the workspace.`);
}

export async function removeFromWorkspace(context: Context): Promise<undefined> {
  const { args, output } = context;
  const member = await inOrganization(context, async (platform, by) => {
    const { members, workspaces } = platform.tenants;
    const { id, email } = await members.choose(by.organization_id, args.parameter('id|email'));
    const { removed } = await workspaces.removeMembers(by, await findWorkspaceId(context, platform, by), [id]);
    if (removed === 0) throw new CommandFailure(`${email} is not in this workspace.`);
    return { id, email };
  });
  output.result(member, `Removed ${member.email} from the workspace.`);
}

async function findWorkspaceId({ args }: Context, { tenants }: Platform, { organization_id }: Caller): Promise<string> {
  return (await tenants.chooseWorkspace({ organization: organization_id, workspace: args.parameter('id|name') })).id;
}
