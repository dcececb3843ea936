import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { z } from 'zod';
import type {
  AdminUserGroupMembersOut,
  AdminUserGroupOut,
  GroupWorkspaceAssignmentsOut,
} from '../../../../src/admin/schema/groups.ts';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { membersQuery, pageSize, workspacesQuery } from './queries.ts';
import { roleLabel, useRoles } from './role-names.ts';
import { useChange } from './use-change.ts';

const offered = 1000;
const tabs = [
  { value: 'members', label: 'Members' },
  { value: 'workspaces', label: 'Workspaces' },
] as const;

export function GroupDialog({ group, onClose }: { group: AdminUserGroupOut; onClose: () => void }) {
  const [tab, setTab] = useState<(typeof tabs)[number]['value']>('members');
  return (
    <Dialog
      title={group.name}
      onClose={onClose}
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <Tabs label="Group sections" tabs={tabs} value={tab} onChange={setTab}>
        {tab === 'members' ? <Members group={group} /> : <Workspaces group={group} />}
      </Tabs>
    </Dialog>
  );
}

function Members({ group }: { group: AdminUserGroupOut }) {
  const path = `/v1/admin/user-groups/${group.uuid}/members`;
  const [page, setPage] = useState(1);
  const [chosen, setChosen] = useState('');
  const everybody = useQuery(membersQuery(1, '', offered));
  const query = useQuery({
    queryKey: ['organization', 'group', group.uuid, 'members', page],
    queryFn: () => api.get<z.infer<typeof AdminUserGroupMembersOut>>(path, { query: { page, page_size: pageSize } }),
    placeholderData: keepPreviousData,
  });
  const add = useChange({ run: (id: string) => api.post(path, { user_uuids: [id] }), after: () => setChosen('') });
  const remove = useChange({ run: (id: string) => api.delete(path, { user_uuids: [id] }) });
  const choices = (everybody.data?.members ?? []).map(({ uuid, email }) => ({ value: uuid, label: email ?? uuid }));
  return (
    <>
      <div className="row">
        <div className="grow">
          <SelectField
            hideLabel
            label="Member to add"
            options={[{ value: '', label: 'Choose a member…' }, ...choices]}
            value={chosen}
            onChange={setChosen}
          />
        </div>
        <Button disabled={chosen === ''} busy={add.isPending} onClick={() => add.mutate(chosen)}>
          Add
        </Button>
      </div>
      <Loaded query={query}>
        {({ members }) =>
          members.length === 0 ? (
            <p className="muted">No members yet.</p>
          ) : (
            <ul className="stack-tight">
              {members.map(({ user_uuid, email, name }) => (
                <li key={user_uuid} className="row">
                  <span className="grow breakable">{name ? `${name}, ${email}` : email}</span>
                  <Button look="quiet" small icon="close" iconOnly onClick={() => remove.mutate(user_uuid)}>
                    {`Remove ${email}`}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Pager page={page} onPage={setPage} pageSize={pageSize} total={query.data?.total} />
    </>
  );
}

function Workspaces({ group }: { group: AdminUserGroupOut }) {
  const path = `/v1/admin/user-groups/${group.uuid}/workspaces`;
  const [page, setPage] = useState(1);
  const [chosen, setChosen] = useState('');
  const [role, setRole] = useState('workspace_contributor');
  const roles = useRoles('workspace');
  const all = useQuery(workspacesQuery(1, '', false, offered));
  const query = useQuery({
    queryKey: ['organization', 'group', group.uuid, 'workspaces', page],
    queryFn: () =>
      api.get<z.infer<typeof GroupWorkspaceAssignmentsOut>>(path, { query: { page, page_size: pageSize } }),
    placeholderData: keepPreviousData,
  });
  const assign = useChange({
    run: () => api.post(path, { workspace_uuid: chosen, role_names: [role] }),
    after: () => setChosen(''),
  });
  const remove = useChange({ run: (id: string) => api.delete(`${path}/${id}`) });
  const choices = (all.data?.items ?? []).map(({ uuid, name }) => ({ value: uuid, label: name }));
  return (
    <>
      <SelectField
        label="Workspace"
        options={[{ value: '', label: 'Choose a workspace…' }, ...choices]}
        value={chosen}
        onChange={setChosen}
      />
      <SelectField label="Role" hint={roles.describe(role)} options={roles.choices} value={role} onChange={setRole} />
      <div className="row row-end">
        <Button disabled={chosen === ''} busy={assign.isPending} onClick={() => assign.mutate(undefined)}>
          Assign role
        </Button>
      </div>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="muted">No workspace roles yet.</p>
          ) : (
            <ul className="stack-tight">
              {items.map((item) => (
                <li key={item.workspace_uuid} className="row">
                  <span className="grow breakable">
                    <strong>{item.workspace_name}</strong>{' '}
                    <span className="muted">{item.roles.map(({ name }) => roleLabel(name)).join(', ')}</span>
                  </span>
                  <Button look="quiet" small icon="close" iconOnly onClick={() => remove.mutate(item.workspace_uuid)}>
                    {`Remove the role in ${item.workspace_name}`}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Pager page={page} onPage={setPage} pageSize={pageSize} total={query.data?.total} />
    </>
  );
}
