import { CommandFailure } from '../../operator/command-failure.ts';
import { organizationRoles } from '../../tenants/index.ts';
import type { Context, ExitCode } from '../shell/command.ts';
import { baseUrlOf, describePendingLink } from '../shell/describe-link.ts';
import { formatTable, formatTime } from '../shell/format-table.ts';
import { parseChoices, parsePage, splitList } from '../shell/parse-values.ts';
import { inOrganization } from '../shell/with-platform.ts';

const MEMBER = ['member'] as const;

export async function listUsers(context: Context): Promise<undefined> {
  const { args, output } = context;
  const query = { email: args.text('email'), ...parsePage(context) };
  const { members, invitations, total } = await inOrganization(context, ({ tenants }, by) =>
    tenants.members.list(by.organization_id, query),
  );
  const rows = [
    ...members.map((member) => [
      member.id,
      member.email,
      nameOf(member),
      member.roles.join(', '),
      member.workspaces.map(({ name }) => name).join(', ') || '-',
      formatTime(member.created_at),
    ]),
    ...invitations.map((one) => [
      one.id,
      one.email,
      '(invited)',
      one.roles.join(', '),
      '-',
      formatTime(one.created_at),
    ]),
  ];
  const table = formatTable(['ID', 'EMAIL', 'NAME', 'ROLES', 'WORKSPACES', 'SINCE'], rows);
  output.result({ total, members, invitations }, `${table}\n\n${rows.length} of ${total}`);
}

export async function showUser(context: Context): Promise<undefined> {
  const member = await inOrganization(context, ({ tenants }, by) =>
    tenants.members.choose(by.organization_id, context.args.parameter('id|email')),
  );
  const lines = [
    `${member.email} (${member.id})`,
    `Name        ${nameOf(member)}`,
    `Roles       ${member.roles.join(', ')}`,
    ...member.workspaces.map(({ name, roles }) => `Workspace   ${name}: ${roles.join(', ')}`),
    `Since       ${formatTime(member.created_at)} UTC`,
  ];
  context.output.result(member, lines.join('\n'));
}

export async function inviteUsers(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const roles = parseChoices('role', args.text('roles') ?? 'member', organizationRoles);
  const invited = await inOrganization(context, async ({ tenants }, by, config) => {
    const workspaceIds: string[] = [];
    for (const workspace of splitList(args.text('workspaces') ?? ''))
      workspaceIds.push((await tenants.chooseWorkspace({ organization: by.organization_id, workspace })).id);
    return tenants.invitations.invite(by, {
      emails: args.parameter('emails'),
      roles,
      workspaceIds,
      language: null,
      baseUrl: baseUrlOf(context, config),
    });
  });
  const { invitations, links, invalid, alreadyMembers } = invited;
  const lines = [
    ...links.map(({ email, url }) => `${email}  ${url}`),
    ...(links.length > 0
      ? ['', 'Send each link to its recipient. It is shown only once and expires after a week.']
      : []),
    ...(invitations.length > links.length
      ? [`${invitations.length} invited by email; a running server sends it.`]
      : []),
  ];
  output.result(
    { invitations, links, invalid_emails: invalid, already_members: alreadyMembers },
    lines.join('\n') || 'No one was invited.',
  );
  if (invalid.length > 0) output.note(`invalid email addresses: ${invalid.join(', ')}`);
  if (alreadyMembers.length > 0) output.note(`already members: ${alreadyMembers.join(', ')}`);
  return invalid.length > 0 ? 1 : 0;
}

export async function linkUser(context: Context): Promise<undefined> {
  const { args, output } = context;
  const created = await inOrganization(context, async ({ tenants }, by, config) => {
    const member = await tenants.members.choose(by.organization_id, args.parameter('id|email'));
    const { path, ...link } = await tenants.links.create(by, member.id);
    return { ...link, url: `${baseUrlOf(context, config)}${path}` };
  });
  const { email, url, purpose, expires_at, organizations } = created;
  const lines = [
    url,
    '',
    `Sets a new password for ${email}. Works once, until ${formatTime(expires_at)} UTC, and is not shown again.`,
  ];
  output.result({ email, url, purpose, expires_at }, lines.join('\n'));
  if (organizations > 1)
    output.note(
      `The account belongs to ${organizations} organizations, and the link opens all: give it to ${email} only.`,
    );
}

export async function resetSecondFactor(context: Context): Promise<undefined> {
  const { id, email, isReset } = await inOrganization(context, async ({ tenants }, by) => {
    const { id, email } = await tenants.members.choose(by.organization_id, context.args.parameter('id|email'));
    return { id, email, isReset: await tenants.secondFactors.reset(by, { id, email }) };
  });
  context.output.result(
    { id, email, reset: isReset },
    isReset
      ? `Removed the second factor of ${email}; their password alone signs in again.`
      : `${email} has no second factor.`,
  );
}

export async function uninviteUser(context: Context): Promise<undefined> {
  const email = context.args.parameter('email').toLowerCase();
  const { id } = await inOrganization(context, async ({ tenants }, by) => {
    const found = (await tenants.invitations.list(by.organization_id)).find((invitation) => invitation.email === email);
    if (!found)
      throw new CommandFailure(`There is no invitation for '${email}'. List them with: npx tramontane users list`);
    return tenants.invitations.revoke(by, found.id);
  });
  context.output.result({ id, email }, `Withdrew the invitation of ${email}.`);
}

export async function addUser(context: Context): Promise<undefined> {
  const { args, output } = context;
  const given = args.parameter('email');
  const roles = parseChoices('role', args.text('roles') ?? 'member', organizationRoles);
  const person = { email: given, first_name: args.text('first-name') ?? '', last_name: args.text('last-name') ?? '' };
  const { email, id, link } = await inOrganization(context, async ({ tenants }, by, config) => {
    const joinsExisting = args.flag('existing-account');
    const [[email, id] = []] = (await tenants.members.create(by, [{ ...person, roles }], { joinsExisting })).ids;
    if (email === undefined || id === undefined) throw new CommandFailure(`'${given}' is not an email address.`);
    const pending = await tenants.links.createForPending(by, id);
    return { email, id, link: pending && `${baseUrlOf(context, config)}${pending.path}` };
  });
  output.result(
    { id, email, ...(link !== undefined && { link }) },
    [
      `Added ${email} (${id}) to the organization.`,
      ...(link === undefined ? [] : describePendingLink(email, link)),
    ].join('\n'),
  );
}

export async function setUserRoles(context: Context): Promise<undefined> {
  const { args, output } = context;
  const roles = parseChoices('role', args.parameter('roles'), organizationRoles);
  const member = await inOrganization(context, async ({ tenants }, by) => {
    const { id } = await tenants.members.choose(by.organization_id, args.parameter('id|email'));
    return tenants.members.setRoles(by, id, roles.length > 0 ? roles : MEMBER);
  });
  output.result(member, `${member.email} now has the roles ${member.roles.join(', ')}.`);
}

export async function removeUser(context: Context): Promise<undefined> {
  const { id, email } = await inOrganization(context, async ({ tenants }, by) => {
    const member = await tenants.members.choose(by.organization_id, context.args.parameter('id|email'));
    return tenants.members.remove(by, member.id);
  });
  context.output.result({ id, email }, `Removed ${email}; running servers reject their keys within a second.`);
}

function nameOf({ first_name, last_name }: { first_name: string | null; last_name: string | null }): string {
  return [first_name, last_name].filter(Boolean).join(' ') || '-';
}
