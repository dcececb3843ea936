import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
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
    <Dialog
      title="Train a classifier"
      onClose={onClose}
      onSubmit={() => examples && start.mutate(examples)}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={start.isPending} disabled={name.trim() === '' || !examples}>
            Start training
          </Button>
        </>
      }
    >
      <div className="stack">
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
        <ErrorNotice error={start.error} />
      </div>
    </Dialog>
  );
}
