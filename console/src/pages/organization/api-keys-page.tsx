import type { ConsoleNewKey } from '../../../../src/console/schema/keys.ts';
import { api } from '../../api/api.ts';
import { isOrganizationAdmin, useSession, useWorkspace } from '../../api/session.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { AllKeys } from './all-keys.tsx';
import { Frame } from './frame.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { KeyTable } from './key-table.tsx';
import { useKeys } from './use-keys.ts';

const path = '/console/api/keys';

export function ApiKeysPage() {
  const admin = isOrganizationAdmin(useSession());
  const workspace = useWorkspace();
  return (
    <Frame
      title="API keys"
      lead="A key lets a program act as you in one workspace. Keep it out of code and chats."
      add={{
        label: 'New API key',
        dialog: (close) => (
          <KeyDialog
            limitable
            title="New API key"
            place={{ label: 'Workspace', name: workspace?.name ?? '' }}
            create={(body) => api.post<ConsoleNewKey>(path, body)}
            example={(value) => `curl ${location.origin}/v1/models -H "Authorization: Bearer ${value}"`}
            onClose={close}
          />
        ),
      }}
    >
      {() => (
        <>
          <OwnKeys workspace={workspace?.name ?? ''} />
          {admin && <AllKeys />}
        </>
      )}
    </Frame>
  );
}

function OwnKeys({ workspace }: { workspace: string }) {
  const { query, askRevoke } = useKeys(path);
  return (
    <Card title={`Your keys in ${workspace}`} flush>
      <Loaded query={query} padded>
        {({ keys }) =>
          keys.length === 0 ? (
            <EmptyState icon="key" title="No API key yet">
              Create one to call the API from your code.
            </EmptyState>
          ) : (
            <KeyTable caption={`Your keys in ${workspace}`} keys={keys} onRevoke={askRevoke} />
          )
        }
      </Loaded>
    </Card>
  );
}
