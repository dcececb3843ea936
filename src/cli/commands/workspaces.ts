import type { Platform } from '../../compose/open-platform.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import { type Caller, MEMBER_ROLE, workspaceRoles } from '../../tenants/index.ts';
import { type Context, type ExitCode, UsageError } from '../command.ts';
import { formatTable, formatTime } from '../format-table.ts';
import { inOrganization, readPage, readWords } from '../in-organization.ts';

export async function listWorkspaces(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const query = { isArchived: args.flag('archived'), search: args.text('search'), ...readPage(context) };
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
  return 0;
}

export async function createWorkspace(context: Context): Promise<ExitCode> {
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
  output.result(workspace, `The workspace ${workspace.name} (${workspace.id}) is there.`);
  return 0;
}

export async function updateWorkspace(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const changes = { name: args.text('name'), description: args.text('description') };
  const workspace = await inOrganization(context, async (platform, by) =>
    platform.tenants.workspaces.update(by, await idOf(context, platform, by), changes),
  );
  output.result(workspace, `The workspace ${workspace.name} (${workspace.id}) is changed.`);
  return 0;
}

export async function archiveWorkspace(context: Context): Promise<ExitCode> {
  const id = await inOrganization(context, async (platform, by) => {
    const found = await idOf(context, platform, by);
    await platform.tenants.workspaces.archive(by, found);
    return found;
  });
  context.output.result({ id }, 'The workspace is archived; running servers refuse its keys within a second.');
  return 0;
}

export async function addToWorkspace(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const roles = readWords('role', args.text('roles') ?? MEMBER_ROLE, workspaceRoles);
  const member = await inOrganization(context, async (platform, by) => {
    const { members, workspaces } = platform.tenants;
    const { id, email } = await members.choose(by.organization_id, args.parameter('id|email'));
    await workspaces.addMembers(by, await idOf(context, platform, by), [{ user_id: id, roles }], 'update');
    return { id, email };
  });
  output.result({ ...member, roles }, `${member.email} is ${roles.join(', ')} there now.`);
  return 0;
}

export async function removeFromWorkspace(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const member = await inOrganization(context, async (platform, by) => {
    const { members, workspaces } = platform.tenants;
    const { id, email } = await members.choose(by.organization_id, args.parameter('id|email'));
    const { removed } = await workspaces.removeMembers(by, await idOf(context, platform, by), [id]);
    if (removed === 0) throw new CommandFailure(`${email} is not in this workspace.`);
    return { id, email };
  });
  output.result(member, `${member.email} is out of the workspace.`);
  return 0;
}

async function idOf({ args }: Context, { tenants }: Platform, { organization_id }: Caller): Promise<string> {
  return (await tenants.chooseWorkspace({ organization: organization_id, workspace: args.parameter('id|name') })).id;
}
