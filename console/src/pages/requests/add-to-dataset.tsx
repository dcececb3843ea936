import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { type Dataset, datasetPath, datasetsKey, datasetsPath, datasetsQuery } from '../../api/datasets.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useToast } from '../../ui/toast.tsx';
import type { NewRecord } from './to-record.ts';

const LISTED = 100;
const NEW = 'new';

export function AddToDataset({ record }: { record: NewRecord }) {
  const [isOpen, setOpen] = useState(false);
  const query = useQuery({ ...datasetsQuery(1, LISTED), enabled: isOpen });
  return (
    <>
      <Button icon="plus" onClick={() => setOpen(true)}>
        Add to dataset
      </Button>
      {isOpen && (
        <Loaded query={query}>
          {({ results = [] }) => <Choose record={record} datasets={results} onClose={() => setOpen(false)} />}
        </Loaded>
      )}
    </>
  );
}

type Props = { record: NewRecord; datasets: readonly Dataset[]; onClose: () => void };

function Choose({ record, datasets, onClose }: Props) {
  const [chosen, setChosen] = useState(datasets[0]?.id ?? NEW);
  const [name, setName] = useState('');
  const client = useQueryClient();
  const toast = useToast();
  const add = useMutation({
    mutationFn: async () => {
      const into =
        datasets.find(({ id }) => id === chosen) ??
        (await api.post<Dataset>(datasetsPath, { name: name.trim(), description: '' }));
      await api.post(`${datasetPath(into.id)}/records`, record);
      return into;
    },
    onSuccess: async (into) => {
      toast.success(`The request is a record of ${into.name} now.`);
      await client.invalidateQueries({ queryKey: datasetsKey });
      onClose();
    },
  });
  const length = name.trim().length;
  return (
    <Dialog
      title="Add to dataset"
      onClose={onClose}
      onSubmit={() => add.mutate()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look="primary"
            busy={add.isPending}
            disabled={chosen === NEW && (length < 5 || length > 50)}
          >
            Add record
          </Button>
        </>
      }
    >
      <div className="stack">
        <SelectField
          label="Dataset"
          value={chosen}
          options={[
            ...datasets.map(({ id, name: label }) => ({ value: id, label })),
            { value: NEW, label: 'New dataset' },
          ]}
          onChange={setChosen}
        />
        {chosen === NEW && (
          <TextField
            label="Name"
            hint="5 to 50 characters"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
        <p className="muted">
          The record keeps the messages and the answer as they are, for as long as the dataset exists.
        </p>
        <ErrorNotice error={add.error} />
      </div>
    </Dialog>
  );
}
