import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { useToast } from '../../ui/toast.tsx';
import { CommonFields } from './common-fields.tsx';
import { draftOf, type ModelDraft, weightsSettingsOf } from './model-draft.ts';
import { type ManagedModel, managedModelPath, modelsKey } from './queries.ts';

type Props = { model: ManagedModel; currency: string; onClose: () => void; onSaved: (id: string) => void };

/** Changes a model whose weights this server runs. */
export function WeightsDialog({ model, currency, onClose, onSaved }: Props) {
  const [draft, setDraft] = useState<ModelDraft>(() => draftOf(model));
  const client = useQueryClient();
  const toast = useToast();
  const change = (more: Partial<ModelDraft>) => setDraft((before) => ({ ...before, ...more }));
  const save = useMutation({
    mutationFn: () => api.put<ManagedModel>(managedModelPath(model.id), weightsSettingsOf(model, draft)),
    async onSuccess(saved) {
      await client.invalidateQueries({ queryKey: modelsKey });
      toast.success(`${saved.id} is changed.`);
      onClose();
      onSaved(saved.id);
    },
  });
  return (
    <EntityDialog
      wide
      title={`Change ${model.id}`}
      action="Save"
      save={save}
      isIncomplete={draft.id.trim() === ''}
      onSave={() => save.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name here"
        fills="id"
        hint="Clients send it as the model. Prompts and agents refer to it."
        required
        value={draft.id}
        onChange={(event) => change({ id: event.target.value })}
      />
      {model.engine === 'llama' && (
        <TextField
          label="Context (tokens)"
          fills="context"
          hint="Of one request, prompt and completion together. More needs more memory."
          type="number"
          min={256}
          step={1}
          value={draft.context}
          onChange={(event) => change({ context: event.target.value })}
        />
      )}
      <CommonFields draft={draft} currency={currency} onChange={change} />
    </EntityDialog>
  );
}
