import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { type Connector, connectorPath, connectorsKey } from './queries.ts';

/** Well-known public servers to start from. The address of each is from its own documentation (docs/connectors.md). */
const CATALOGUE = [
  {
    name: 'github',
    server: 'https://api.githubcopilot.com/mcp/',
    description: 'Repositories, issues and pull requests',
  },
  { name: 'linear', server: 'https://mcp.linear.app/mcp', description: 'Issues and projects' },
  { name: 'sentry', server: 'https://mcp.sentry.dev/mcp', description: 'Errors and releases' },
  { name: 'huggingface', server: 'https://huggingface.co/mcp', description: 'Models, datasets and papers' },
  { name: 'deepwiki', server: 'https://mcp.deepwiki.com/mcp', description: 'Documentation of public repositories' },
] as const;

export function NewConnectorDialog({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState({ name: '', server: '', description: '', visibility: 'private', openapi: '' });
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: async () => {
      const { openapi, ...body } = draft;
      const protocol = openapi.trim() === '' ? 'mcp' : 'http';
      const made = await api.post<Connector>('/v1/connectors', { ...body, protocol });
      if (protocol === 'http') await api.put(`${connectorPath(made.id)}/openapi`, { url: openapi.trim() });
      return made;
    },
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: connectorsKey });
      await navigate({ to: '/connectors/$connectorId', params: { connectorId: id } });
    },
  });
  const set = (changes: Partial<typeof draft>) => setDraft({ ...draft, ...changes });
  return (
    <EntityDialog
      title="Add connector"
      action="Add"
      save={create}
      isIncomplete={!draft.name || !draft.server}
      onSave={() => create.mutate()}
      onClose={onClose}
    >
      <SelectField
        label="Start from"
        value={CATALOGUE.find(({ server }) => server === draft.server)?.name ?? ''}
        options={[
          { value: '' as string, label: 'Your own server' },
          ...CATALOGUE.map(({ name, description }) => ({ value: name, label: `${name}: ${description}` })),
        ]}
        onChange={(chosen: string) => {
          const known = CATALOGUE.find(({ name }) => name === chosen);
          set(known ? { ...known, openapi: '' } : { name: '', server: '', description: '' });
        }}
      />
      <TextField
        label="Name"
        hint="Letters, digits, hyphens and underscores. Conversations and agents use it."
        value={draft.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <TextField
        label="Address"
        fills="server"
        placeholder="https://wiki.example.com/mcp"
        value={draft.server}
        onChange={(event) => set({ server: event.target.value })}
      />
      <TextField
        label="Description"
        value={draft.description}
        onChange={(event) => set({ description: event.target.value })}
      />
      <TextField
        label="OpenAPI document"
        fills="url"
        hint="Only for an HTTP API: the address of its document. Its operations become tools."
        value={draft.openapi}
        onChange={(event) => set({ openapi: event.target.value })}
      />
      <SelectField
        label="Who may use it"
        fills="visibility"
        value={draft.visibility}
        options={[
          { value: 'private', label: 'Only you' },
          { value: 'shared_workspace', label: 'The workspace' },
          { value: 'shared_org', label: 'The organization' },
        ]}
        onChange={(visibility) => set({ visibility })}
      />
    </EntityDialog>
  );
}
