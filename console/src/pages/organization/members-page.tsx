import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { OrganizationAdminUsersOUT } from '../../../../src/admin/schema/users.ts';
import { api } from '../../api/api.ts';
import { useSession } from '../../api/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { ObjectList } from '../../ui/object-list.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Time } from '../../ui/time.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { useSearch } from '../../ui/use-search.ts';
import { Frame } from './frame.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberDialog } from './member-dialog.tsx';
import { type Member, membersQuery, organizationKey, pageSize } from './queries.ts';
import { roleLabel, useRoles } from './role-names.ts';

type Invite = OrganizationAdminUsersOUT['invites'][number];
type Row = { key: string; member?: Member; invite?: Invite };

export function MembersPage() {
  return (
    <Frame
      adminsOnly
      title="Members"
      lead="Members of the organization, their roles, and pending invitations."
      add={{ label: 'Invite', dialog: (close) => <InviteDialog onClose={close} /> }}
    >
      {() => <Members />}
    </Frame>
  );
}

function Members() {
  const { search, page, setSearch, setPage } = useSearch();
  const [edited, setEdited] = useState<Member>();
  const query = useQuery(membersQuery(page, useDeferredValue(search.trim())));
  const { user } = useSession();
  const roles = useRoles('organization');
  const remove = useRemoval<Member>({
    title: ({ email }) => `Remove ${email}?`,
    body: 'Their API keys and sessions stop working immediately. Their content is kept.',
    action: 'Remove',
    run: ({ uuid }) => api.delete(`/v1/admin/users/${uuid}`),
    done: ({ email }) => `${email} is no longer a member.`,
    reload: organizationKey,
  });
  const withdraw = useRemoval<Invite>({
    title: ({ email }) => `Withdraw the invitation for ${email}?`,
    body: 'Their invitation link stops working.',
    action: 'Withdraw',
    run: ({ uuid }) => api.delete(`/v1/admin/users-invite/${uuid}`),
    done: ({ email }) => `The invitation for ${email} was withdrawn.`,
    reload: organizationKey,
  });
  const itemsOf = ({ member, invite }: Row): MenuItem[] => [
    ...(member ? [{ label: 'Roles and workspaces', onSelect: () => setEdited(member) }] : []),
    ...(member && member.uuid !== user.id
      ? [{ label: 'Remove', danger: true, onSelect: () => remove.ask(member) }]
      : []),
    ...(invite ? [{ label: 'Withdraw', danger: true, onSelect: () => withdraw.ask(invite) }] : []),
  ];
  const rowsOf = ({ members, invites }: OrganizationAdminUsersOUT): Row[] => [
    ...invites.map((invite) => ({ key: invite.uuid, invite })),
    ...members.map((member) => ({ key: member.uuid, member })),
  ];
  return (
    <>
      <ObjectList
        caption="Members and invitations"
        search={{ label: 'Search by e-mail', value: search, onChange: setSearch, nothing: 'No matching member' }}
        query={query}
        rowsOf={rowsOf}
        rowKey={({ key }) => key}
        empty={{ icon: 'people', title: 'No member yet', text: 'Invite somebody by e-mail.' }}
        columns={[
          { header: 'Member', cell: (row) => <Person row={row} self={row.member?.uuid === user.id} /> },
          {
            header: 'Role',
            cell: ({ member, invite }) =>
              roles
                .names((member ?? invite)?.raw_roles)
                .map(roleLabel)
                .join(', '),
          },
          { header: 'Workspaces', low: true, cell: ({ member }) => <Workspaces member={member} /> },
          {
            header: 'Since',
            low: true,
            cell: ({ member, invite }) => <Time value={(member ?? invite)?.created_at ?? ''} />,
          },
          {
            header: 'Actions',
            kind: 'actions',
            cell: (row) => <Menu label={`Actions for ${(row.member ?? row.invite)?.email}`} items={itemsOf(row)} />,
          },
        ]}
        footer={({ total }) => <Pager page={page} onPage={setPage} pageSize={pageSize} total={total ?? undefined} />}
      />
      {edited && <MemberDialog member={edited} onClose={() => setEdited(undefined)} />}
    </>
  );
}

function Person({ row: { member, invite }, self }: { row: Row; self: boolean }) {
  const email = (member ?? invite)?.email;
  return (
    <div className="breakable">
      <div className="row">
        <strong>{member?.name || email}</strong>
        {self && <Badge tone="accent">You</Badge>}
        {invite && <Badge tone={invite.expired ? 'danger' : 'warning'}>{invite.expired ? 'Expired' : 'Invited'}</Badge>}
      </div>
      {member?.name && <div className="small muted">{email}</div>}
    </div>
  );
}

function Workspaces({ member }: { member: Member | undefined }) {
  const names = (member?.workspaces ?? []).map(({ name }) => name);
  if (names.length === 0) return <span className="muted">None</span>;
  const rest = names.length - 3;
  return (
    <span title={names.join(', ')}>
      {names.slice(0, 3).join(', ')}
      {rest > 0 && <span className="muted"> and {rest} more</span>}
    </span>
  );
}
