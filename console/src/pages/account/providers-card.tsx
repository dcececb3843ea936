import { useState } from 'react';
import type { ConsoleAccount } from '../../../../src/console/schema/account.ts';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { formatDate } from '../../ui/format.ts';
import { type Proof, ProofDialog } from './proof-dialog.tsx';
import { useAccountChange } from './queries.ts';

type Provider = ConsoleAccount['providers'][number];

/** Accounts at providers with which the owner signs in too. */
export function ProvidersCard({ account }: { account: ConsoleAccount }) {
  const [joining, setJoining] = useState<Provider>();
  const join = useAccountChange({
    run: ({ id, proof }: { id: string; proof: Proof }) =>
      api.post<{ url: string }>(`/console/api/account/identities/${id}`, proof),
    after: ({ url }) => location.assign(url),
  });
  const leave = useAccountChange({
    run: (id: string) => api.delete(`/console/api/account/identities/${id}`),
    done: 'The provider was taken off your account.',
  });
  if (account.providers.length === 0 && account.identities.length === 0) return null;
  const joined = new Map(account.identities.map((identity) => [identity.provider, identity]));
  return (
    <Card title="Providers">
      <div className="stack">
        {account.identities.map(({ provider, name, created_at }) => (
          <div key={provider} className="row">
            <span className="grow">
              {name}, since {formatDate(created_at)}
            </span>
            <Button small onClick={() => leave.mutate(provider)}>{`Leave ${name}`}</Button>
          </div>
        ))}
        {account.has_password &&
          account.providers
            .filter(({ id }) => !joined.has(id))
            .map((provider) => (
              <div key={provider.id} className="row">
                <span className="grow muted">{provider.name}</span>
                <Button small onClick={() => setJoining(provider)}>{`Join ${provider.name}`}</Button>
              </div>
            ))}
        <ErrorNotice error={leave.error} />
      </div>
      {joining && (
        <ProofDialog
          title={`Join ${joining.name}`}
          action={`Continue at ${joining.name}`}
          asksCode={account.second_factor !== null}
          busy={join.isPending}
          error={join.error}
          onProof={(proof) => join.mutate({ id: joining.id, proof })}
          onClose={() => setJoining(undefined)}
        />
      )}
    </Card>
  );
}
