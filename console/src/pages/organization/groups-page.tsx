import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { AdminUserGroupOut } from '../../../../src/admin/schema/groups.ts';
import { api } from '../../api/api.ts';
import { Card } from '../../ui/card.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { SearchField, TextField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Table } from '../../ui/table.tsx';
import { Frame } from './frame.tsx';
import { GroupDialog } from './group-dialog.tsx';
import { groupsQuery, pageSize } from './queries.ts';
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
  const [page, setPage] = useState(1);
  const [text, setText] = useState('');
  const [opened, setOpened] = useState<AdminUserGroupOut>();
  const [renamed, setRenamed] = useState<AdminUserGroupOut>();
  const search = useDeferredValue(text.trim());
  const query = useQuery(groupsQuery(page, search));
  const confirm = useConfirm();
  const remove = useChange({
    run: ({ uuid }: AdminUserGroupOut) => api.delete(`/v1/admin/user-groups/${uuid}`),
    done: (_, { name }) => `${name} was deleted.`,
  });
  const askDelete = async (group: AdminUserGroupOut) => {
    const sure = await confirm({
      title: `Delete ${group.name}?`,
      body: 'Its members lose the roles of the group immediately.',
      action: 'Delete',
      danger: true,
    });
    if (sure) remove.mutate(group);
  };
  return (
    <>
      <SearchField
        label="Search by name"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setPage(1);
        }}
      />
      <Card flush>
        <Loaded query={query} padded>
          {({ items }) =>
            items.length === 0 ? (
              <EmptyState icon="people" title={search ? 'No matching group' : 'No group yet'}>
                Use groups when several people need the same roles in several workspaces.
              </EmptyState>
            ) : (
              <Table
                caption="Groups"
                rows={items}
                rowKey={({ uuid }) => uuid}
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
                          { label: 'Delete', danger: true, onSelect: () => void askDelete(group) },
                        ]}
                      />
                    ),
                  },
                ]}
              />
            )
          }
        </Loaded>
        <Pager page={page} onPage={setPage} pageSize={pageSize} total={query.data?.total} />
      </Card>
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
