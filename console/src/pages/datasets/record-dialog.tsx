import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { datasetPath, datasetsKey } from '../../api/datasets.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { type DatasetRecord, recordPath } from './queries.ts';
import { readObject } from './record-text.ts';

const EXAMPLE = { messages: [{ role: 'user', content: '' }] };
const pretty = (value: object) => JSON.stringify(value, null, 2);

type Props = { datasetId: string; record?: DatasetRecord; onClose: () => void };
type Written = { payload: object; properties: object };

/** Adds a record, or shows one to read, change and delete. */
export function RecordDialog({ datasetId, record, onClose }: Props) {
  const before = { payload: pretty(record?.payload ?? EXAMPLE), properties: pretty(record?.properties ?? {}) };
  const [payload, setPayload] = useState(before.payload);
  const [properties, setProperties] = useState(before.properties);
  const [problems, setProblems] = useState<{ payload?: string | undefined; properties?: string | undefined }>({});
  const client = useQueryClient();
  const done = async () => {
    await client.invalidateQueries({ queryKey: [...datasetsKey, 'one', datasetId] });
    onClose();
  };
  const save = useMutation({
    mutationFn: async (written: Written) => {
      if (!record) return api.post(`${datasetPath(datasetId)}/records`, written);
      if (payload !== before.payload) await api.put(`${recordPath(record.id)}/payload`, { payload: written.payload });
      if (properties !== before.properties)
        await api.put(`${recordPath(record.id)}/properties`, { properties: written.properties });
    },
    onSuccess: done,
  });
  const remove = useRemoval<DatasetRecord>({
    title: () => 'Delete this record?',
    body: 'Runs that used it keep their copies.',
    action: 'Delete record',
    run: ({ id }) => api.delete(recordPath(id)),
    done: () => 'The record was deleted.',
    leave: onClose,
    reload: [...datasetsKey, 'one', datasetId],
  });
  const submit = () => {
    const [first, second] = [readObject(payload), readObject(properties)];
    setProblems({ payload: first.problem, properties: second.problem });
    if (first.value && second.value) save.mutate({ payload: first.value, properties: second.value });
  };
  return (
    <Dialog
      title={record ? 'Record' : 'New record'}
      wide
      onClose={onClose}
      onSubmit={submit}
      footer={
        <>
          {record && (
            <Button look="danger" busy={remove.isPending} onClick={() => remove.ask(record)}>
              Delete
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={save.isPending}>
            {record ? 'Save' : 'Add record'}
          </Button>
        </>
      }
    >
      <div className="stack">
        <TextAreaField
          label="Payload"
          code
          rows={12}
          error={problems.payload}
          hint="Messages as in a chat request. An answer of the assistant at the end is the one to compare with."
          value={payload}
          onChange={(event) => setPayload(event.target.value)}
        />
        <TextAreaField
          label="Properties"
          code
          rows={5}
          error={problems.properties}
          hint={
            <>
              What else is known: <code>expected</code> is what checks look for, <code>variables</code> fill the
              placeholders of a prompt.
            </>
          }
          value={properties}
          onChange={(event) => setProperties(event.target.value)}
        />
        <ErrorNotice error={save.error} />
      </div>
    </Dialog>
  );
}
