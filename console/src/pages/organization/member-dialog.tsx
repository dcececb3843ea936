import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Pager } from '../../ui/pager.tsx';
import { type Member, pageSize, workspacesQuery } from './queries.ts';
import { roleLabel, useRoles } from './role-names.ts';
import { useChange } from './use-change.ts';

const none = '';

/** Roles of a member in the organization and in each workspace. Changes apply immediately. */
export function MemberDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const [page, setPage] = useState(1);
  const roles = useRoles('organization');
  const inWorkspaces = useRoles('workspace');
  const query = useQuery(workspacesQuery(page, '', false));
  const [role, setRole] = useState<string>();
  const [changed, setChanged] = useState<Record<string, string>>({});
  const given = roles.names(member.raw_roles);
  const setOrganizationRole = useChange({
    run: (name: string) => api.patch(`/v1/admin/users/${member.uuid}`, { role_names: [name] }),
    done: (_, name) => `${member.email} is now ${roleLabel(name).toLowerCase()}.`,
    after: (_, name) => setRole(name),
  });
  const setWorkspaceRole = useChange({
    run: ({ workspace, name }: { workspace: string; name: string }) => {
      const path = `/v1/admin/workspaces/${workspace}`;
      const user = { user_uuid: member.uuid };
      if (name === none) return api.delete(`${path}/remove-users`, { members: [user] });
      return api.patch(`${path}/users`, { members: [{ ...user, role_names: [name] }] });
    },
    done: () => 'Role updated.',
    after: (_, { workspace, name }) => setChanged((all) => ({ ...all, [workspace]: name })),
  });
  const roleIn = (workspace: string): string => {
    const now = changed[workspace];
    if (now !== undefined) return now;
    const names = inWorkspaces.names(member.workspaces?.find(({ uuid }) => uuid === workspace)?.raw_roles);
    return names.join(', ');
  };
  return (
    <Dialog
      title={member.name || member.email || 'Member'}
      onClose={onClose}
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <SelectField
        label="Role in the organization"
        hint={roles.describe(role ?? given[0] ?? '')}
        options={withPresent(roles.choices, role ?? given.join(', '))}
        value={role ?? given.join(', ')}
        onChange={(name) => setOrganizationRole.mutate(name)}
      />
      <h3>Workspaces</h3>
      <Loaded query={query}>
        {({ items }) => (
          <ul className="stack">
            {items.map(({ uuid, name }) => (
              <li key={uuid}>
                <SelectField
                  label={name}
                  options={[{ value: none, label: 'Not a member' }, ...withPresent(inWorkspaces.choices, roleIn(uuid))]}
                  value={roleIn(uuid)}
                  onChange={(role) => setWorkspaceRole.mutate({ workspace: uuid, name: role })}
                />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Pager page={page} onPage={setPage} pageSize={pageSize} total={query.data?.total} />
    </Dialog>
  );
}

/** The API can assign several roles; they are shown joined until one is chosen. */
function withPresent(choices: { value: string; label: string }[], present: string) {
  const known = present === none || choices.some(({ value }) => value === present);
  return known ? choices : [{ value: present, label: present.split(', ').map(roleLabel).join(', ') }, ...choices];
}
