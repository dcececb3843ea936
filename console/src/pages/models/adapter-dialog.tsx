import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ModelAdapter } from '../../../../src/model-settings/schema.ts';
import { api } from '../../api/api.ts';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import fieldStyles from '../../ui/field.module.css';
import { Field, SelectField, TextField } from '../../ui/field.tsx';
import { useToast } from '../../ui/toast.tsx';
import { suggestId } from './model-draft.ts';
import { adaptersPath, type ManagedModel, managedPath, modelsKey, type ServedModel } from './queries.ts';

type From = 'file' | 'hugging-face';
const sources: { value: From; label: string }[] = [
  { value: 'file', label: 'A file of this computer' },
  { value: 'hugging-face', label: 'Hugging Face' },
];

/** Serves a LoRA adapter over the weights of a model, under a name of its own. */
export function AdapterDialog({ base, onClose }: { base: ServedModel; onClose: () => void }) {
  const [from, setFrom] = useState<From>('file');
  const [file, setFile] = useState<File>();
  const [remote, setRemote] = useState('');
  const [id, setId] = useState('');
  const [description, setDescription] = useState('');
  const client = useQueryClient();
  const toast = useToast();
  const save = useMutation({
    async mutationFn() {
      const adapter = from === 'file' && file ? (await upload(file)).id : remote.trim();
      const name = id.trim();
      const settings = { engine: 'llama', id: name, weights: base.weights, adapter, context: base.max_context_length };
      try {
        return await api.post<ManagedModel>(managedPath, {
          ...settings,
          ...(description.trim() && { description: description.trim() }),
        });
      } catch (error) {
        // What is not served is not kept either.
        if (from === 'file') await api.delete(`${adaptersPath}/${adapter}`);
        throw error;
      }
    },
    async onSuccess(saved) {
      await client.invalidateQueries({ queryKey: modelsKey });
      toast.success(`${saved.id} is served.`);
      onClose();
    },
  });
  const choose = (chosen: File | undefined) => {
    setFile(chosen);
    if (chosen && id === '') setId(suggestId(chosen.name));
  };
  return (
    <EntityDialog
      title={`Add an adapter to ${base.name ?? base.id}`}
      action="Add adapter"
      save={save}
      isIncomplete={id.trim() === '' || (from === 'file' ? !file : remote.trim() === '')}
      onSave={() => save.mutate()}
      onClose={onClose}
    >
      <SelectField label="From" options={sources} value={from} onChange={setFrom} />
      {from === 'file' ? (
        <Field label="Adapter" fills="file adapter" hint="A LoRA adapter as GGUF. It is tried before it is served.">
          {(control) => (
            <input
              {...control}
              type="file"
              accept=".gguf"
              className={fieldStyles.input}
              onChange={({ target }) => choose(target.files?.[0])}
            />
          )}
        </Field>
      ) : (
        <TextField
          label="Adapter"
          fills="adapter"
          placeholder="owner/name:file.gguf"
          hint="Downloaded at once, and served when it is here."
          value={remote}
          onChange={(event) => setRemote(event.target.value)}
        />
      )}
      <TextField
        label="Name here"
        fills="id"
        hint="Clients send it as the model."
        value={id}
        onChange={(event) => setId(event.target.value)}
      />
      <TextField label="Description" value={description} onChange={(event) => setDescription(event.target.value)} />
    </EntityDialog>
  );
}

function upload(file: File): Promise<ModelAdapter> {
  const form = new FormData();
  form.append('file', file);
  return api.post<ModelAdapter>(adaptersPath, form);
}
