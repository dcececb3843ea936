import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { TextAreaField, TextField } from '../../ui/field.tsx';
import { useToast } from '../../ui/toast.tsx';
import { catalogueKey, type Workflow } from './queries.ts';

/** Changes here are kept when a worker registers the workflow again. */
export function EditWorkflowDialog({ workflow, onClose }: { workflow: Workflow; onClose: () => void }) {
  const [name, setName] = useState(workflow.display_name);
  const [description, setDescription] = useState(workflow.description ?? '');
  const [tags, setTags] = useState((workflow.tags ?? []).join(', '));
  const client = useQueryClient();
  const toast = useToast();
  const save = useMutation({
    mutationFn: () =>
      api.put(`/v1/workflows/${encodeURIComponent(workflow.name)}`, {
        display_name: name.trim(),
        description: description.trim(),
        tags: tags
          .split(',')
          .map((tag) => tag.trim())
          .filter(Boolean),
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: catalogueKey });
      toast.success('Workflow updated.');
      onClose();
    },
  });
  return (
    <EntityDialog
      title={`Edit ${workflow.display_name}`}
      action="Save"
      save={save}
      onSave={() => save.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Display name"
        required
        maxLength={128}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextAreaField
        label="Description"
        rows={3}
        maxLength={4096}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <TextField
        label="Tags"
        hint="Comma-separated. Used as filters."
        value={tags}
        onChange={(event) => setTags(event.target.value)}
      />
    </EntityDialog>
  );
}
