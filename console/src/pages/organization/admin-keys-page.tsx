import type { ConsoleNewKey } from '../../../../src/console/schema/keys.ts';
import { api } from '../../api/api.ts';
import { useSession } from '../../api/session.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Frame } from './frame.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { KeyTable } from './key-table.tsx';
import { useKeys } from './use-keys.ts';

const path = '/console/api/admin-keys';

export function AdminKeysPage() {
  const { organization } = useSession();
  return (
    <Frame
      adminsOnly
      title="Admin keys"
      lead={
        <>
          For programs that administer {organization.name}: members, workspaces, keys, limits and the audit log, at{' '}
          <code>/v1/admin</code>. They grant no other access.
        </>
      }
      add={{
        label: 'New admin key',
        dialog: (close) => (
          <KeyDialog
            title="New admin key"
            place={{ label: 'Organization', name: organization.name }}
            create={(body) => api.post<ConsoleNewKey>(path, body)}
            example={(value) => `curl ${location.origin}/v1/admin/users -H "x-api-key: ${value}"`}
            onClose={close}
          />
        ),
      }}
    >
      {() => <Keys />}
    </Frame>
  );
}

function Keys() {
  const { query, askRevoke } = useKeys(path);
  return (
    <Card flush>
      <Loaded query={query} padded>
        {({ keys }) =>
          keys.length === 0 ? (
            <EmptyState icon="key" title="No admin key yet">
              Needed only for programs that administer the organization. The console works without one.
            </EmptyState>
          ) : (
            <KeyTable caption="Admin keys" keys={keys} onRevoke={askRevoke} />
          )
        }
      </Loaded>
    </Card>
  );
}
