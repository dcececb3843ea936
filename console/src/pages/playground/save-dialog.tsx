import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { CreatedVersion } from '../../../../src/registry/schema.ts';
import { api } from '../../api/api.ts';
import { variablesOf } from '../../registry/placeholders.ts';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { useToast } from '../../ui/toast.tsx';
import { prompts } from './queries.ts';

type Props = { content: string; name: string; onClose: () => void };

/** Saves the system prompt as a new prompt or as the next version of an existing one. */
export function SaveDialog({ content, name: first, onClose }: Props) {
  const client = useQueryClient();
  const toast = useToast();
  const list = useId();
  const { data = [] } = useQuery(prompts);
  const [name, setName] = useState(first);
  const [notes, setNotes] = useState('');
  const known = data.some((prompt) => prompt.name === name);
  const variables = variablesOf(content).map((variable) => ({ name: variable }));
  const save = useMutation({
    mutationFn: async () => {
      const definition = { content, variables };
      const rest = notes.trim() === '' ? {} : { notes };
      if (!known) return api.post<CreatedVersion>('/v2/prompts', { name, definition, ...rest });
      const path = `/v2/prompts/${encodeURIComponent(name)}/versions`;
      return api.post<CreatedVersion>(path, { definition, ...rest });
    },
    onSuccess: async ({ version = 1, deduplicated }) => {
      await client.invalidateQueries();
      toast.success(
        deduplicated
          ? `Version ${version} of ${name} already has this text.`
          : `Saved as version ${version} of ${name}.`,
      );
      onClose();
    },
  });
  return (
    <EntityDialog
      title="Save as prompt"
      action={known ? 'Save version' : 'Create prompt'}
      save={save}
      onSave={() => save.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        list={list}
        required
        hint={known ? 'Already exists: saved as its next version.' : 'Creates a new prompt.'}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <datalist id={list}>
        {data.map((prompt) => (
          <option key={prompt.id} value={prompt.name} />
        ))}
      </datalist>
      <TextField
        label="Notes"
        hint="What changed in this version."
        value={notes}
        onChange={(event) => setNotes(event.target.value)}
      />
      {variables.length > 0 && (
        <p className="small muted breakable">Variables: {variables.map((variable) => variable.name).join(', ')}</p>
      )}
    </EntityDialog>
  );
}
