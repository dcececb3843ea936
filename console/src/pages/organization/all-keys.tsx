import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { APIKeysExtendedOUT } from '../../../../src/admin/schema/keys.ts';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SearchField } from '../../ui/field.tsx';
import { formatDate } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Table } from '../../ui/table.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { organizationKey, pageSize } from './queries.ts';

type Key = APIKeysExtendedOUT['keys'][number];

/** For administrators: the keys of every member in every workspace. */
export function AllKeys() {
  const [page, setPage] = useState(1);
  const [text, setText] = useState('');
  const name = useDeferredValue(text.trim());
  const query = useQuery({
    queryKey: ['organization', 'all-keys', page, name],
    // One extra item shows whether there is a next page.
    queryFn: () =>
      api.get<APIKeysExtendedOUT>('/v1/admin/api-keys', {
        query: { limit: pageSize + 1, offset: (page - 1) * pageSize, name },
      }),
    placeholderData: keepPreviousData,
  });
  const revoke = useRemoval<Key>({
    title: ({ name: called, hidden_key }) => `Revoke ${called || hidden_key}?`,
    body: ({ created_by, workspace_name }) =>
      `Programs of ${created_by ?? 'its owner'} that use it in ${workspace_name ?? 'its workspace'} lose access immediately.`,
    action: 'Revoke',
    run: ({ key_id }) => api.delete(`/v1/admin/api-keys/${key_id}`),
    done: () => 'The key was revoked.',
    reload: organizationKey,
  });
  return (
    <Card
      title="All keys"
      flush
      actions={
        <SearchField
          label="Search by name"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setPage(1);
          }}
        />
      }
    >
      <Loaded query={query} padded>
        {({ keys }) =>
          keys.length === 0 ? (
            <EmptyState icon="key" title="No matching key" />
          ) : (
            <Table
              caption="All API keys of the organization"
              rows={keys.slice(0, pageSize)}
              rowKey={({ key_id }) => key_id}
              columns={[
                {
                  header: 'Name',
                  cell: (key) => <strong className="breakable">{key.name || 'Unnamed'}</strong>,
                },
                { header: 'Owner', cell: (key) => <span className="breakable">{key.created_by}</span> },
                { header: 'Workspace', low: true, cell: (key) => key.workspace_name },
                { header: 'Key', low: true, cell: (key) => <code>{key.hidden_key}</code> },
                {
                  header: 'Last used',
                  low: true,
                  cell: (key) => (key.last_used ? formatDate(key.last_used) : <span className="muted">Never</span>),
                },
                {
                  header: 'Expires',
                  low: true,
                  cell: (key) =>
                    key.expiration_date ? formatDate(key.expiration_date) : <span className="muted">Never</span>,
                },
                {
                  header: 'Actions',
                  kind: 'actions',
                  cell: (key) => (
                    <Button look="quiet" small icon="trash" iconOnly onClick={() => revoke.ask(key)}>
                      {`Revoke ${key.name || key.hidden_key} of ${key.created_by}`}
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <Pager page={page} onPage={setPage} pageSize={pageSize} hasNext={(query.data?.keys.length ?? 0) > pageSize} />
    </Card>
  );
}
