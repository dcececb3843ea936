import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ServiceAccount } from '../../../../src/admin/schema/service-accounts.ts';
import { api } from '../../api/api.ts';
import { useSession, useWorkspace } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Frame } from './frame.tsx';
import { ServiceAccountDialog } from './service-account-dialog.tsx';
import { ServiceAccountKeys } from './service-account-keys.tsx';
import { useChange } from './use-change.ts';

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
  const confirm = useConfirm();
  const query = useQuery({
    queryKey: ['organization', 'service-accounts', workspaceId],
    queryFn: () =>
      api.get<{ items: ServiceAccount[] }>(path, { query: { workspace_id: workspaceId, offset: 0, limit: 1000 } }),
  });
  const remove = useChange({
    run: ({ id }: ServiceAccount) => api.delete(`${path}/${id}`),
    done: (_, { name }) => `${name} was deleted.`,
  });
  const askRemove = async (account: ServiceAccount) => {
    const sure = await confirm({
      title: `Delete ${account.name}?`,
      body: 'Its keys stop working at once. What it made stays.',
      action: 'Delete',
      danger: true,
    });
    if (sure) remove.mutate(account);
  };
  return (
    <Card flush>
      <Loaded query={query} padded>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="key" title="No service account yet">
              A service account owns API keys with its own roles. Nobody signs in to it.
            </EmptyState>
          ) : (
            <Table
              caption="Service accounts"
              rows={items}
              rowKey={({ id }) => id}
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
                      <Button look="quiet" small icon="trash" iconOnly onClick={() => void askRemove(account)}>
                        {`Delete ${account.name}`}
                      </Button>
                    </>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {opened && <ServiceAccountKeys account={opened} onClose={() => setOpened(undefined)} />}
      {edited && (
        <ServiceAccountDialog workspaceId={workspaceId} account={edited} onClose={() => setEdited(undefined)} />
      )}
    </Card>
  );
}
