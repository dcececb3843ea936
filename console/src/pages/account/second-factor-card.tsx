import { useState } from 'react';
import type { ConsoleAccount } from '../../../../src/console/schema/account.ts';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { formatDate } from '../../ui/format.ts';
import { type Proof, ProofDialog } from './proof-dialog.tsx';
import { useAccountChange } from './queries.ts';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';
import { SetUpDialog } from './set-up-dialog.tsx';

const path = '/console/api/account/second-factor';
type Codes = { recovery_codes: string[] };

export function SecondFactorCard({ account }: { account: ConsoleAccount }) {
  const [opened, setOpened] = useState<'begin' | 'renew' | 'remove'>();
  const [codes, setCodes] = useState<string[]>();
  const close = () => setOpened(undefined);
  const begin = useAccountChange({
    run: (proof: Proof) => api.post<{ secret: string; address: string }>(path, proof),
    after: close,
  });
  const renew = useAccountChange({
    run: (proof: Proof) => api.post<Codes>(`${path}/recovery-codes`, proof),
    after: ({ recovery_codes }) => {
      close();
      setCodes(recovery_codes);
    },
  });
  const remove = useAccountChange({
    run: (proof: Proof) => api.post(`${path}/remove`, proof),
    done: 'The second factor was removed.',
    after: close,
  });
  const factor = account.second_factor;
  if (!account.has_password) return null;
  return (
    <Card title="Second factor">
      <div className="stack">
        {factor ? (
          <p>
            On since {formatDate(factor.confirmed_at)}. {factor.recovery_codes} recovery codes are left.
          </p>
        ) : (
          <p className="muted">Asks for a code of an authenticator app after your password.</p>
        )}
        <div className="row">
          {factor ? (
            <>
              <Button onClick={() => setOpened('renew')}>New recovery codes</Button>
              <Button look="danger" onClick={() => setOpened('remove')}>
                Remove
              </Button>
            </>
          ) : (
            <Button look="primary" onClick={() => setOpened('begin')}>
              Set up
            </Button>
          )}
        </div>
      </div>
      {opened === 'begin' && (
        <ProofDialog
          title="Set up a second factor"
          action="Continue"
          asksCode={false}
          busy={begin.isPending}
          error={begin.error}
          onProof={begin.mutate}
          onClose={close}
        />
      )}
      {begin.data && (
        <SetUpDialog
          {...begin.data}
          onClose={begin.reset}
          onDone={(all) => {
            begin.reset();
            setCodes(all);
          }}
        />
      )}
      {opened === 'renew' && (
        <ProofDialog
          title="New recovery codes"
          action="Replace them"
          asksCode
          busy={renew.isPending}
          error={renew.error}
          onProof={renew.mutate}
          onClose={close}
        />
      )}
      {opened === 'remove' && (
        <ProofDialog
          title="Remove the second factor"
          action="Remove"
          asksCode
          busy={remove.isPending}
          error={remove.error}
          onProof={remove.mutate}
          onClose={close}
        />
      )}
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </Card>
  );
}
