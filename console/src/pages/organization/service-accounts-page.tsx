import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ServiceAccount } from '../../../../src/admin/schema/service-accounts.ts';
import { api } from '../../api/api.ts';
import { useSession, useWorkspace } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ObjectList } from '../../ui/object-list.tsx';
import { Time } from '../../ui/time.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { Frame } from './frame.tsx';
import { organizationKey } from './queries.ts';
import { ServiceAccountDialog } from './service-account-dialog.tsx';
import { ServiceAccountKeys } from './service-account-keys.tsx';

const path = '/v1/service-accounts';

export function ServiceAccountsPage() {
  const workspace = useWorkspace();
  const mayAdminister = useSession().permissions.includes('service_accounts:administer');
  return (
    <Frame
      title="Service accounts"
      lead={`For programs of ${workspace?.name ?? 'the workspace'} that outlive the people who set them up.`}
      {...(mayAdminister && workspace
        ? {
            add: {
              label: 'New service account',
              dialog: (close: () => void) => <ServiceAccountDialog workspaceId={workspace.id} onClose={close} />,
            },
          }
        : {})}
    >
      {() =>
        mayAdminister && workspace ? (
          <Accounts workspaceId={workspace.id} />
        ) : (
          <EmptyState icon="people" title="Administrators only">
            Only administrators of the workspace can see its service accounts.
          </EmptyState>
        )
      }
    </Frame>
  );
}

function Accounts({ workspaceId }: { workspaceId: string }) {
  const [opened, setOpened] = useState<ServiceAccount>();
  const [edited, setEdited] = useState<ServiceAccount>();
  const query = useQuery({
    queryKey: ['organization', 'service-accounts', workspaceId],
    queryFn: () =>
      api.get<{ items: ServiceAccount[] }>(path, { query: { workspace_id: workspaceId, offset: 0, limit: 1000 } }),
  });
  const remove = useRemoval<ServiceAccount>({
    title: ({ name }) => `Delete ${name}?`,
    body: 'Its keys stop working at once. What it made stays.',
    action: 'Delete',
    run: ({ id }) => api.delete(`${path}/${id}`),
    done: ({ name }) => `${name} was deleted.`,
    reload: organizationKey,
  });
  return (
    <>
      <ObjectList
        caption="Service accounts"
        query={query}
        rowsOf={({ items }) => items}
        rowKey={({ id }) => id}
        empty={{
          icon: 'key',
          title: 'No service account yet',
          text: 'A service account owns API keys with its own roles. Nobody signs in to it.',
        }}
        columns={[
          { header: 'Name', cell: ({ name }) => <strong className="breakable">{name}</strong> },
          { header: 'Description', low: true, cell: ({ description }) => description ?? '' },
          { header: 'Created', low: true, cell: ({ created_at }) => <Time value={created_at} /> },
          {
            header: 'Actions',
            kind: 'actions',
            cell: (account) => (
              <>
                <Button look="quiet" small icon="key" iconOnly onClick={() => setOpened(account)}>
                  {`Keys of ${account.name}`}
                </Button>
                <Button look="quiet" small icon="edit" iconOnly onClick={() => setEdited(account)}>
                  {`Edit ${account.name}`}
                </Button>
                <Button look="quiet" small icon="trash" iconOnly onClick={() => remove.ask(account)}>
                  {`Delete ${account.name}`}
                </Button>
              </>
            ),
          },
        ]}
      />
      {opened && <ServiceAccountKeys account={opened} onClose={() => setOpened(undefined)} />}
      {edited && (
        <ServiceAccountDialog workspaceId={workspaceId} account={edited} onClose={() => setEdited(undefined)} />
      )}
    </>
  );
}
