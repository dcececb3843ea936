import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { type Webhook, webhooksKey, webhooksPath } from './queries.ts';

const PROVIDERS = [
  { value: 'github', label: 'GitHub' },
  { value: 'slack', label: 'Slack' },
  { value: 'notion', label: 'Notion' },
  { value: 'linear', label: 'Linear' },
  { value: 'microsoft', label: 'Microsoft' },
  { value: 'ashby', label: 'Ashby' },
  { value: 'lucca', label: 'Lucca' },
  { value: 'custom', label: 'Another program' },
] as const;
type Provider = (typeof PROVIDERS)[number]['value'];
const HINTS: Partial<Record<Provider, string>> = {
  notion: 'Leave it empty: Notion sends it to the address.',
  slack: 'The signing secret of the Slack app.',
  linear: 'The signing secret that Linear shows.',
  lucca: 'The secret that Lucca shows.',
};
const OUR_HINT = 'Leave it empty, and the server makes one for you to enter at the provider.';

export function WebhookDialog({ onClose }: { onClose: () => void }) {
  const [provider, setProvider] = useState<Provider>('github');
  const [name, setName] = useState('');
  const [secret, setSecret] = useState('');
  const [header, setHeader] = useState('');
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () =>
      api.post<Webhook>(webhooksPath, {
        provider,
        name: name.trim(),
        ...(secret && { secret }),
        ...(header && { signature_header_name: header }),
      }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: webhooksKey });
      await navigate({ to: '/webhooks/$webhookId', params: { webhookId: id } });
    },
  });
  return (
    <EntityDialog
      title="New webhook"
      action="Create webhook"
      save={create}
      isIncomplete={name.trim() === ''}
      onSave={() => create.mutate()}
      onClose={onClose}
    >
      <SelectField label="Provider" value={provider} options={PROVIDERS} onChange={setProvider} />
      <TextField label="Name" value={name} onChange={(event) => setName(event.target.value)} />
      <TextField
        label="Secret"
        type="password"
        autoComplete="off"
        hint={HINTS[provider] ?? OUR_HINT}
        value={secret}
        onChange={(event) => setSecret(event.target.value)}
      />
      {(provider === 'custom' || provider === 'lucca') && (
        <TextField
          label="Header of the signature"
          fills="signature_header_name"
          placeholder="X-Signature-256"
          hint="HMAC-SHA256 of the body after sha256=. The API has the other settings."
          value={header}
          onChange={(event) => setHeader(event.target.value)}
        />
      )}
    </EntityDialog>
  );
}
