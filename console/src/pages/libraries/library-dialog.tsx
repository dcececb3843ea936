import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import { type Library, librariesKey, libraryPath } from './queries.ts';

const OWNERS = [
  { value: 'Workspace', label: 'Everybody in the workspace' },
  { value: 'User', label: 'Only you, until you share it' },
] as const;

/** Creates a library, or changes the name and description of one. */
export function LibraryDialog({ library, onClose }: { library?: Library; onClose: () => void }) {
  const [name, setName] = useState(library?.name ?? '');
  const [description, setDescription] = useState(library?.description ?? '');
  const [owner, setOwner] = useState<(typeof OWNERS)[number]['value']>('Workspace');
  const client = useQueryClient();
  const navigate = useNavigate();
  const save = useMutation({
    mutationFn: () => {
      const body = { name: name.trim(), description: description.trim() || null };
      return library
        ? api.patch<Library>(libraryPath(library.id), body)
        : api.post<Library>('/v1/libraries', { ...body, owner_type: owner });
    },
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: librariesKey });
      if (library) onClose();
      else await navigate({ to: '/libraries/$libraryId', params: { libraryId: id } });
    },
  });
  return (
    <EntityDialog
      title={library ? 'Rename library' : 'New library'}
      action={library ? 'Save' : 'Create library'}
      save={save}
      isIncomplete={name.trim() === ''}
      onSave={() => save.mutate()}
      onClose={onClose}
    >
      <TextField label="Name" maxLength={255} value={name} onChange={(event) => setName(event.target.value)} />
      <TextAreaField
        label="Description"
        rows={3}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      {!library && (
        <SelectField label="Who may use it" fills="owner_type" value={owner} options={OWNERS} onChange={setOwner} />
      )}
    </EntityDialog>
  );
}
