import { useState } from 'react';
import type { ServiceAccount } from '../../../../src/admin/schema/service-accounts.ts';
import type { ConsoleNewKey } from '../../../../src/console/schema/keys.ts';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { KeyTable } from './key-table.tsx';
import { useKeys } from './use-keys.ts';

export function ServiceAccountKeys({ account, onClose }: { account: ServiceAccount; onClose: () => void }) {
  const path = `/console/api/service-accounts/${account.id}/keys` as const;
  const [adding, setAdding] = useState(false);
  const { query, askRevoke } = useKeys(path);
  if (adding) {
    return (
      <KeyDialog
        title="New key"
        place={{ label: 'Service account', name: account.name }}
        create={(body) => api.post<ConsoleNewKey>(path, body)}
        example={(value) => `curl ${location.origin}/v1/whoami -H "Authorization: Bearer ${value}"`}
        onClose={() => setAdding(false)}
      />
    );
  }
  return (
    <Dialog
      wide
      title={`Keys of ${account.name}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={() => setAdding(true)}>New key</Button>
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <Loaded query={query}>
        {({ keys }) =>
          keys.length === 0 ? (
            <p className="muted">No key yet.</p>
          ) : (
            <KeyTable caption="Keys" keys={keys} onRevoke={askRevoke} />
          )
        }
      </Loaded>
    </Dialog>
  );
}
