import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConsoleKey, ConsoleNewKey } from '../../../../src/console/schema/keys.ts';
import { api } from '../../api/api.ts';
import { isOrganizationAdmin, useSession, useWorkspace } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { AllKeys } from './all-keys.tsx';
import { Frame } from './frame.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { KeyTable } from './key-table.tsx';
import { useChange } from './use-change.ts';

const path = '/console/api/keys';

export function ApiKeysPage() {
  const [making, setMaking] = useState(false);
  const admin = isOrganizationAdmin(useSession());
  const workspace = useWorkspace();
  return (
    <Frame
      title="API keys"
      lead="A key lets a program act as you in one workspace. Keep it out of code and chats."
      actions={
        <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
          New API key
        </Button>
      }
    >
      {() => (
        <>
          <OwnKeys workspace={workspace?.name ?? ''} />
          {admin && <AllKeys />}
          {making && (
            <KeyDialog
              title="New API key"
              place={{ label: 'Workspace', name: workspace?.name ?? '' }}
              create={(body) => api.post<ConsoleNewKey>(path, body)}
              example={(value) => `curl ${location.origin}/v1/models -H "Authorization: Bearer ${value}"`}
              onClose={() => setMaking(false)}
            />
          )}
        </>
      )}
    </Frame>
  );
}

function OwnKeys({ workspace }: { workspace: string }) {
  const query = useQuery({
    queryKey: ['organization', 'keys'],
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
    <Card title={`Yours in ${workspace}`} flush>
      <Loaded query={query} padded>
        {({ keys }) =>
          keys.length === 0 ? (
            <EmptyState icon="key" title="You have no key here yet">
              Make one to call the API from your own program.
            </EmptyState>
          ) : (
            <KeyTable caption={`Your keys in ${workspace}`} keys={keys} onRevoke={(key) => void ask(key)} />
          )
        }
      </Loaded>
    </Card>
  );
}
