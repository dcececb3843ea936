import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { OrganizationAdminUsersOUT } from '../../../../src/admin/schema/users.ts';
import { api } from '../../api/api.ts';
import { useSession } from '../../api/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SearchField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Frame } from './frame.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberDialog } from './member-dialog.tsx';
import { type Member, membersQuery, pageSize } from './queries.ts';
import { roleLabel, useRoles } from './role-names.ts';
import { useChange } from './use-change.ts';

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
  const [page, setPage] = useState(1);
  const [text, setText] = useState('');
  const [edited, setEdited] = useState<Member>();
  const email = useDeferredValue(text.trim());
  const query = useQuery(membersQuery(page, email));
  const { user } = useSession();
  const roles = useRoles('organization');
  const confirm = useConfirm();
  const remove = useChange({
    run: (member: Member) => api.delete(`/v1/admin/users/${member.uuid}`),
    done: (_, member) => `${member.email} is no longer a member.`,
  });
  const withdraw = useChange({
    run: (invite: Invite) => api.delete(`/v1/admin/users-invite/${invite.uuid}`),
    done: (_, invite) => `The invitation for ${invite.email} was withdrawn.`,
  });

  const askRemove = async (member: Member) => {
    const sure = await confirm({
      title: `Remove ${member.email}?`,
      body: 'Their API keys and sessions stop working immediately. Their content is kept.',
      action: 'Remove',
      danger: true,
    });
    if (sure) remove.mutate(member);
  };
  const askWithdraw = async (invite: Invite) => {
    const sure = await confirm({
      title: `Withdraw the invitation for ${invite.email}?`,
      body: 'Their invitation link stops working.',
      action: 'Withdraw',
      danger: true,
    });
    if (sure) withdraw.mutate(invite);
  };
  const itemsOf = ({ member, invite }: Row): MenuItem[] => [
    ...(member ? [{ label: 'Roles and workspaces', onSelect: () => setEdited(member) }] : []),
    ...(member && member.uuid !== user.id
      ? [{ label: 'Remove', danger: true, onSelect: () => void askRemove(member) }]
      : []),
    ...(invite ? [{ label: 'Withdraw', danger: true, onSelect: () => void askWithdraw(invite) }] : []),
  ];
  const rowsOf = ({ members, invites }: OrganizationAdminUsersOUT): Row[] => [
    ...invites.map((invite) => ({ key: invite.uuid, invite })),
    ...members.map((member) => ({ key: member.uuid, member })),
  ];
  return (
    <>
      <SearchField
        label="Search by e-mail"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setPage(1);
        }}
      />
      <Card flush>
        <Loaded query={query} padded>
          {(data) => {
            const rows = rowsOf(data);
            if (rows.length === 0) return <EmptyState icon="people" title="No matching member" />;
            return (
              <Table
                caption="Members and invitations"
                rows={rows}
                rowKey={({ key }) => key}
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
                    cell: (row) => (
                      <Menu label={`Actions for ${(row.member ?? row.invite)?.email}`} items={itemsOf(row)} />
                    ),
                  },
                ]}
              />
            );
          }}
        </Loaded>
        <Pager page={page} onPage={setPage} pageSize={pageSize} total={query.data?.total ?? undefined} />
      </Card>
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
