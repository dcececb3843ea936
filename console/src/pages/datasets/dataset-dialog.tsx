import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { type Dataset, datasetPath, datasetsKey, datasetsPath } from '../../api/datasets.ts';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { TextField } from '../../ui/field.tsx';

/** Creates a dataset and opens it, or renames one. */
export function DatasetDialog({ dataset, onClose }: { dataset?: Dataset; onClose: () => void }) {
  const [name, setName] = useState(dataset?.name ?? '');
  const [description, setDescription] = useState(dataset?.description ?? '');
  const [problem, setProblem] = useState<string>();
  const client = useQueryClient();
  const navigate = useNavigate();
  const save = useMutation({
    mutationFn: () => {
      const body = { name: name.trim(), description: description.trim() };
      return dataset ? api.patch<Dataset>(datasetPath(dataset.id), body) : api.post<Dataset>(datasetsPath, body);
    },
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: datasetsKey });
      onClose();
      if (!dataset) await navigate({ to: '/datasets/$datasetId', params: { datasetId: id } });
    },
  });
  const submit = () => {
    const length = name.trim().length;
    const found = length < 5 || length > 50 ? 'A name has 5 to 50 characters.' : undefined;
    setProblem(found);
    if (!found) save.mutate();
  };
  return (
    <EntityDialog
      title={dataset ? `Rename ${dataset.name}` : 'New dataset'}
      action={dataset ? 'Save' : 'Create dataset'}
      save={save}
      onSave={submit}
      onClose={onClose}
    >
      <TextField label="Name" value={name} error={problem} onChange={(event) => setName(event.target.value)} />
      <TextField
        label="Description"
        maxLength={200}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
    </EntityDialog>
  );
}
