import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { librariesKey, libraryPath } from './queries.ts';

const SCOPES = [
  { value: 'page', label: 'This page' },
  { value: 'site', label: 'The pages of the site map' },
] as const;

export function WebDialog({ libraryId, onClose }: { libraryId: string; onClose: () => void }) {
  const [url, setUrl] = useState('');
  const [scope, setScope] = useState<'page' | 'site'>('page');
  const client = useQueryClient();
  const add = useMutation({
    mutationFn: () => api.post(`${libraryPath(libraryId)}/web-documents`, { url: url.trim(), scope }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: librariesKey });
      onClose();
    },
  });
  return (
    <EntityDialog
      title="Add web page"
      action="Add"
      save={add}
      isIncomplete={!URL.canParse(url.trim())}
      onSave={() => add.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Address"
        type="url"
        placeholder="https://example.com/handbook"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <SelectField
        label="What to read"
        fills="scope"
        hint="A site adds up to 100 pages of the same host."
        value={scope}
        options={SCOPES}
        onChange={setScope}
      />
    </EntityDialog>
  );
}
