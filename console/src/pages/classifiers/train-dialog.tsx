import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import fieldStyles from '../../ui/field.module.css';
import { Field, TextField } from '../../ui/field.tsx';
import { train, trainingsKey } from './queries.ts';

export function TrainDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [examples, setExamples] = useState<File>();
  const client = useQueryClient();
  const start = useMutation({
    mutationFn: (file: File) => train(name.trim(), file),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: trainingsKey });
      onClose();
    },
  });
  return (
    <EntityDialog
      title="Train a classifier"
      action="Start training"
      save={start}
      isIncomplete={name.trim() === '' || !examples}
      onSave={() => examples && start.mutate(examples)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        placeholder="support-topics"
        hint="Letters, digits, dots, dashes and underscores."
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Field
        label="Examples"
        hint={
          <>
            A file with one example per line: <code>{'{"text": "Where is my parcel?", "label": "shipping"}'}</code>
          </>
        }
      >
        {(control) => (
          <input
            {...control}
            type="file"
            accept=".jsonl,.json,.txt"
            className={fieldStyles.input}
            onChange={({ target }) => setExamples(target.files?.[0])}
          />
        )}
      </Field>
    </EntityDialog>
  );
}
