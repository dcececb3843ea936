import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { WorkspaceOUT } from '../../../../src/admin/schema/workspaces.ts';
import { api } from '../../api/api.ts';
import { queryClient } from '../../api/query-client.ts';
import { sessionQuery, useSession } from '../../api/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { CheckField, SearchField, TextField } from '../../ui/field.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Table } from '../../ui/table.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { Frame } from './frame.tsx';
import { organizationKey, pageSize, workspacesQuery } from './queries.ts';
import { useChange } from './use-change.ts';

export function WorkspacesPage() {
  return (
    <Frame
      adminsOnly
      title="Workspaces"
      lead="Prompts, skills, agents, files and keys belong to a workspace. Manage access under Members."
      add={{ label: 'New workspace', dialog: (close) => <WorkspaceDialog onClose={close} /> }}
    >
      {() => <Workspaces />}
    </Frame>
  );
}

function Workspaces() {
  const [page, setPage] = useState(1);
  const [text, setText] = useState('');
  const [archived, setArchived] = useState(false);
  const [edited, setEdited] = useState<WorkspaceOUT>();
  const query = useQuery(workspacesQuery(page, useDeferredValue(text.trim()), archived));
  const archive = useRemoval<WorkspaceOUT>({
    title: ({ name }) => `Archive ${name}?`,
    body: 'Its API keys stop working immediately and it can no longer be used. Its content is kept. This cannot be undone here.',
    action: 'Archive',
    run: ({ uuid }) => api.delete(`/v1/admin/workspaces/${uuid}`),
    done: ({ name }) => `${name} was archived.`,
    leave: () => void queryClient.invalidateQueries(sessionQuery),
    reload: organizationKey,
  });
  return (
    <>
      <div className="row row-between">
        <SearchField
          label="Search by name"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setPage(1);
          }}
        />
        <CheckField
          label="Show archived"
          checked={archived}
          onChange={(event) => {
            setArchived(event.target.checked);
            setPage(1);
          }}
        />
      </div>
      <Card flush>
        <Loaded query={query} padded>
          {({ items }) =>
            items.length === 0 ? (
              <EmptyState icon="people" title={archived ? 'No archived workspaces' : 'No matching workspace'} />
            ) : (
              <Table
                caption="Workspaces"
                rows={items}
                rowKey={({ uuid }) => uuid}
                columns={[
                  {
                    header: 'Name',
                    cell: (workspace) => (
                      <div className="row breakable">
                        <strong>{workspace.name}</strong>
                        {workspace.is_default && <Badge>Default</Badge>}
                      </div>
                    ),
                  },
                  {
                    header: 'Description',
                    low: true,
                    cell: ({ description }) => description || <span className="muted">None</span>,
                  },
                  { header: 'Members', kind: 'end', cell: (one) => formatNumber(one.members_count ?? 0) },
                  {
                    header: 'Actions',
                    kind: 'actions',
                    cell: (workspace) =>
                      !archived && (
                        <Menu
                          label={`Actions for ${workspace.name}`}
                          items={[
                            { label: 'Rename', onSelect: () => setEdited(workspace) },
                            {
                              label: 'Archive',
                              danger: true,
                              disabled: workspace.is_default,
                              onSelect: () => archive.ask(workspace),
                            },
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
      {edited && <WorkspaceDialog workspace={edited} onClose={() => setEdited(undefined)} />}
    </>
  );
}

function WorkspaceDialog({ workspace, onClose }: { workspace?: WorkspaceOUT; onClose: () => void }) {
  const { user } = useSession();
  const [name, setName] = useState(workspace?.name ?? '');
  const [description, setDescription] = useState(workspace?.description ?? '');
  const [everybody, setEverybody] = useState(false);
  const save = useChange({
    quiet: true,
    run: () =>
      workspace
        ? api.patch(`/v1/admin/workspaces/${workspace.uuid}`, { name, description })
        : api.post('/v1/admin/workspaces', {
            name,
            description,
            add_all_org_members: everybody,
            admin_user_id: user.id,
          }),
    done: () => (workspace ? 'Workspace updated.' : `${name} was created. Select it at the top left.`),
    after: () => {
      void queryClient.invalidateQueries(sessionQuery);
      onClose();
    },
  });
  return (
    <EntityDialog
      title={workspace ? `Rename ${workspace.name}` : 'New workspace'}
      action={workspace ? 'Save' : 'Create'}
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
      {!workspace && (
        <CheckField
          label="Add everyone in the organization"
          hint="You join as its administrator either way."
          checked={everybody}
          onChange={(event) => setEverybody(event.target.checked)}
        />
      )}
    </EntityDialog>
  );
}
