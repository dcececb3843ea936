import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { chatModels, modelChoices } from '../../api/chat-models.ts';
import { DropField } from '../../ui/drop-field.tsx';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { PickField } from '../../ui/pick-field.tsx';
import { type BatchJob, batchKey } from './queries.ts';
import { type Lines, readLines } from './read-lines.ts';

const endpoints = [
  { value: '/v1/chat/completions', label: 'Chat completions' },
  { value: '/v1/embeddings', label: 'Embeddings' },
  { value: '/v1/fim/completions', label: 'Fill in the middle' },
  { value: '/v1/moderations', label: 'Moderation' },
  { value: '/v1/classifications', label: 'Classification' },
  { value: '/v1/ocr', label: 'OCR' },
  { value: '/v1/audio/transcriptions', label: 'Transcription' },
  { value: '/v1/conversations', label: 'Conversations' },
] as const;
type Endpoint = (typeof endpoints)[number]['value'];

/** Files beyond this are sent without being looked through. */
const READ_BYTES_MAX = 50_000_000;

/** Uploads a file of requests and starts a job over it. */
export function JobDialog({ onClose }: { onClose: () => void }) {
  const [file, setFile] = useState<File>();
  const [lines, setLines] = useState<Lines>();
  const [endpoint, setEndpoint] = useState<Endpoint>('/v1/chat/completions');
  const [model, setModel] = useState('');
  const [name, setName] = useState('');
  const cards = useQuery(chatModels);
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    async mutationFn() {
      if (!file) throw new Error('There is no file.');
      const form = new FormData();
      form.append('purpose', 'batch');
      form.append('file', file, file.name);
      const { id } = (await (await api.raw('POST', '/v1/files', form)).json()) as { id: string };
      return api.post<BatchJob>('/v1/batch/jobs', {
        ...{ input_files: [id], endpoint, metadata: { name: name.trim() || file.name } },
        ...(model && { model }),
      });
    },
    async onSuccess({ id }) {
      await client.invalidateQueries({ queryKey: batchKey });
      onClose();
      await navigate({ to: '/batch/$jobId', params: { jobId: id } });
    },
  });
  const take = async ([first]: File[]) => {
    setFile(first);
    setLines(undefined);
    if (!first || first.size > READ_BYTES_MAX) return;
    setLines(readLines(await first.text()));
  };
  return (
    <EntityDialog
      title="New batch"
      action="Start batch"
      save={create}
      isIncomplete={!file || lines?.problem !== undefined}
      onSave={() => create.mutate()}
      onClose={onClose}
    >
      <DropField label="Requests" accept=".jsonl,application/jsonl" onFiles={(files) => void take(files)}>
        {file ? <strong className="breakable">{file.name}</strong> : 'Drop a JSONL file here.'}{' '}
        <span className="muted">One request in each line: {'{"custom_id": "1", "body": {…}}'}</span>
      </DropField>
      <div role="status">
        {lines && (
          <Notice tone={lines.problem ? 'danger' : 'success'}>
            {lines.problem ?? (lines.count === 1 ? 'One request.' : `${formatNumber(lines.count)} requests.`)}
          </Notice>
        )}
      </div>
      <SelectField
        label="What to do with each"
        fills="endpoint"
        options={endpoints}
        value={endpoint}
        onChange={setEndpoint}
      />
      <PickField
        label="Model"
        unchosen="As each request says"
        choices={cards.data && modelChoices(cards.data)}
        value={model}
        onChange={setModel}
      />
      <TextField
        label="Name"
        fills="metadata"
        placeholder={file?.name ?? ''}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </EntityDialog>
  );
}
