import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { type Connector, type ConsumerScope, connectorPath, connectorsKey, credentialsQuery } from './queries.ts';

const SCOPES = [
  ['user', 'You'],
  ['workspace', 'Workspace'],
  ['organization', 'Organization'],
] as const;

/** Credentials by scope; their secrets are never shown. */
export function Credentials({ connector: { id } }: { connector: Connector }) {
  const [isAdding, setAdding] = useState(false);
  const toast = useToast();
  const signIn = useMutation({
    mutationFn: () =>
      api.get<{ auth_url: string }>(`${connectorPath(id)}/auth_url`, {
        query: { app_return_url: window.location.href.split('?')[0] },
      }),
    onSuccess: ({ auth_url }) => window.location.assign(auth_url),
    onError: toast.error,
  });
  return (
    <Card
      title="Credentials"
      actions={
        <div className="row">
          <Button look="primary" icon="key" busy={signIn.isPending} onClick={() => signIn.mutate()}>
            Sign in
          </Button>
          <Button icon="plus" onClick={() => setAdding(true)}>
            Add token or key
          </Button>
        </div>
      }
    >
      <div className="stack">
        {SCOPES.map(([scope, label]) => (
          <Scope key={scope} id={id} scope={scope} label={label} />
        ))}
      </div>
      {isAdding && <NewCredentials id={id} onClose={() => setAdding(false)} />}
    </Card>
  );
}

function Scope({ id, scope, label }: { id: string; scope: ConsumerScope; label: string }) {
  const query = useQuery(credentialsQuery(id, scope));
  const client = useQueryClient();
  const toast = useToast();
  const remove = useMutation({
    mutationFn: (name: string) =>
      api.delete<{ message: string }>(`${connectorPath(id)}/${scope}/credentials/${encodeURIComponent(name)}`),
    onSuccess: async ({ message }) => {
      toast.success(message);
      await client.invalidateQueries({ queryKey: connectorsKey });
    },
    onError: toast.error,
  });
  return (
    <div>
      <h3>{label}</h3>
      <Loaded query={query} lines={1}>
        {({ credentials }) =>
          credentials.length === 0 ? (
            <p className="muted">None.</p>
          ) : (
            <Table
              caption={`Credentials: ${label}`}
              rows={credentials}
              rowKey={({ name }) => name}
              columns={[
                { header: 'Name', cell: ({ name, title }) => title ?? name },
                {
                  header: 'Kind',
                  low: true,
                  cell: ({ authentication_type }) => KINDS[authentication_type] ?? authentication_type,
                },
                {
                  header: 'Status',
                  cell: ({ status }) =>
                    status?.status_type === 'valid' ? (
                      <Badge tone="success">Valid</Badge>
                    ) : (
                      <Badge tone="warning">{status?.error_message ?? 'Unknown'}</Badge>
                    ),
                },
                {
                  header: 'Actions',
                  kind: 'actions',
                  cell: ({ name }) => (
                    <Button small icon="trash" onClick={() => remove.mutate(name)}>
                      {`Delete ${name}`}
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </div>
  );
}

const KINDS: Record<string, string> = { oauth2: 'Sign-in', bearer: 'Bearer token', none: 'Headers' };

function NewCredentials({ id, onClose }: { id: string; onClose: () => void }) {
  const [draft, setDraft] = useState({ name: 'default', scope: 'user', kind: 'bearer', header: '', value: '' });
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: () => {
      const credentials =
        draft.kind === 'bearer' ? { bearer_token: draft.value } : { headers: { [draft.header]: draft.value } };
      return api.post(`${connectorPath(id)}/${draft.scope}/credentials`, {
        name: draft.name,
        is_default: true,
        credentials,
      });
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: connectorsKey });
      onClose();
    },
  });
  const set = (changes: Partial<typeof draft>) => setDraft({ ...draft, ...changes });
  return (
    <EntityDialog
      title="Add token or key"
      action="Store"
      save={save}
      isIncomplete={draft.value === ''}
      onSave={() => save.mutate()}
      onClose={onClose}
    >
      <SelectField
        label="For"
        value={draft.scope}
        options={SCOPES.map(([value, label]) => ({ value: value as string, label }))}
        onChange={(scope) => set({ scope })}
      />
      <TextField label="Name" value={draft.name} onChange={(event) => set({ name: event.target.value })} />
      <SelectField
        label="Kind"
        value={draft.kind}
        options={[
          { value: 'bearer', label: 'Bearer token' },
          { value: 'header', label: 'Header' },
        ]}
        onChange={(kind) => set({ kind })}
      />
      {draft.kind === 'header' && (
        <TextField
          label="Header"
          placeholder="X-Api-Key"
          value={draft.header}
          onChange={(event) => set({ header: event.target.value })}
        />
      )}
      <TextField
        label="Value"
        type="password"
        autoComplete="off"
        hint="Encrypted, and never shown again."
        value={draft.value}
        onChange={(event) => set({ value: event.target.value })}
      />
    </EntityDialog>
  );
}
