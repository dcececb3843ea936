import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConsoleKey, ConsoleNewKey } from '../../../../src/console/schema/keys.ts';
import { api } from '../../api/api.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Frame } from './frame.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { KeyTable } from './key-table.tsx';
import { useChange } from './use-change.ts';

const path = '/console/api/admin-keys';

export function AdminKeysPage() {
  const [making, setMaking] = useState(false);
  const { organization } = useSession();
  const create = (
    <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
      New admin key
    </Button>
  );
  return (
    <Frame
      adminsOnly
      title="Admin keys"
      lead={
        <>
          For programs that administer {organization.name}: members, workspaces, keys, limits and the audit log, at{' '}
          <code>/v1/admin</code>. They open nothing else.
        </>
      }
      actions={create}
    >
      {() => (
        <>
          <Keys />
          {making && (
            <KeyDialog
              title="New admin key"
              place={{ label: 'Organization', name: organization.name }}
              create={(body) => api.post<ConsoleNewKey>(path, body)}
              example={(value) => `curl ${location.origin}/v1/admin/users -H "x-api-key: ${value}"`}
              onClose={() => setMaking(false)}
            />
          )}
        </>
      )}
    </Frame>
  );
}

function Keys() {
  const query = useQuery({
    queryKey: ['organization', 'admin-keys'],
    queryFn: () => api.get<{ keys: ConsoleKey[] }>(path),
  });
  const confirm = useConfirm();
  const revoke = useChange({
    run: (key: ConsoleKey) => api.delete(`${path}/${key.id}`),
    done: () => 'The key was revoked.',
  });
  const ask = async (key: ConsoleKey) => {
    const sure = await confirm({
      title: `Revoke ${key.name || `…${key.ends_with}`}?`,
      body: 'Programs that use it are refused at once. A revoked key cannot be brought back.',
      action: 'Revoke',
      danger: true,
    });
    if (sure) revoke.mutate(key);
  };
  return (
    <Card flush>
      <Loaded query={query} padded>
        {({ keys }) =>
          keys.length === 0 ? (
            <EmptyState icon="key" title="No admin key yet">
              You need one only for a program that administers the organization. The console works without.
            </EmptyState>
          ) : (
            <KeyTable caption="Admin keys" keys={keys} onRevoke={(key) => void ask(key)} />
          )
        }
      </Loaded>
    </Card>
  );
}
