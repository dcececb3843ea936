import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { AdminUserGroupOut } from '../../../../src/admin/schema/groups.ts';
import { api } from '../../api/api.ts';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ObjectList } from '../../ui/object-list.tsx';
import { Pager } from '../../ui/pager.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { useSearch } from '../../ui/use-search.ts';
import { Frame } from './frame.tsx';
import { GroupDialog } from './group-dialog.tsx';
import { groupsQuery, organizationKey, pageSize } from './queries.ts';
import { useChange } from './use-change.ts';

export function GroupsPage() {
  return (
    <Frame
      adminsOnly
      title="Groups"
      lead="Members of a group have its workspace roles in addition to their own."
      add={{ label: 'New group', dialog: (close) => <NameDialog onClose={close} /> }}
    >
      {() => <Groups />}
    </Frame>
  );
}

function Groups() {
  const { search, page, setSearch, setPage } = useSearch();
  const [opened, setOpened] = useState<AdminUserGroupOut>();
  const [renamed, setRenamed] = useState<AdminUserGroupOut>();
  const query = useQuery(groupsQuery(page, useDeferredValue(search.trim())));
  const remove = useRemoval<AdminUserGroupOut>({
    title: ({ name }) => `Delete ${name}?`,
    body: 'Its members lose the roles of the group immediately.',
    action: 'Delete',
    run: ({ uuid }) => api.delete(`/v1/admin/user-groups/${uuid}`),
    done: ({ name }) => `${name} was deleted.`,
    reload: organizationKey,
  });
  return (
    <>
      <ObjectList
        caption="Groups"
        search={{ label: 'Search by name', value: search, onChange: setSearch, nothing: 'No matching group' }}
        query={query}
        rowsOf={({ items }) => items}
        rowKey={({ uuid }) => uuid}
        empty={{
          icon: 'people',
          title: 'No group yet',
          text: 'Use groups when several people need the same roles in several workspaces.',
        }}
        columns={[
          { header: 'Name', cell: ({ name }) => <strong className="breakable">{name}</strong> },
          {
            header: 'Description',
            low: true,
            cell: ({ description }) => description || <span className="muted">None</span>,
          },
          {
            header: 'Actions',
            kind: 'actions',
            cell: (group) => (
              <Menu
                label={`Actions for ${group.name}`}
                items={[
                  { label: 'Members and workspaces', onSelect: () => setOpened(group) },
                  { label: 'Rename', onSelect: () => setRenamed(group) },
                  { label: 'Delete', danger: true, onSelect: () => remove.ask(group) },
                ]}
              />
            ),
          },
        ]}
        footer={({ total }) => <Pager page={page} onPage={setPage} pageSize={pageSize} total={total} />}
      />
      {opened && <GroupDialog group={opened} onClose={() => setOpened(undefined)} />}
      {renamed && <NameDialog group={renamed} onClose={() => setRenamed(undefined)} />}
    </>
  );
}

function NameDialog({ group, onClose }: { group?: AdminUserGroupOut; onClose: () => void }) {
  const [name, setName] = useState(group?.name ?? '');
  const [description, setDescription] = useState(group?.description ?? '');
  const save = useChange({
    quiet: true,
    run: () =>
      group
        ? api.patch(`/v1/admin/user-groups/${group.uuid}`, { name, description })
        : api.post('/v1/admin/user-groups', { name, description }),
    done: () => (group ? 'Group updated.' : `${name} was created. Now add members and workspaces.`),
    after: onClose,
  });
  return (
    <EntityDialog
      title={group ? `Rename ${group.name}` : 'New group'}
      action={group ? 'Save' : 'Create'}
      save={save}
      onSave={() => save.mutate(undefined)}
      onClose={onClose}
    >
      <TextField label="Name" required maxLength={255} value={name} onChange={(event) => setName(event.target.value)} />
      <TextField
        label="Description"
        maxLength={255}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
    </EntityDialog>
  );
}
