import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { DropField } from '../../ui/drop-field.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SearchField, SelectField } from '../../ui/field.tsx';
import { formatBytes } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { filePath, filesKey, filesQuery, pageSize, type StoredFile } from './queries.ts';

const purposes = [
  { value: '', label: 'All purposes' },
  { value: 'batch', label: 'Batch' },
  { value: 'ocr', label: 'OCR' },
  { value: 'audio', label: 'Audio' },
  { value: 'fine-tune', label: 'Fine-tuning' },
];

export function FilesPage() {
  const [search, setSearch] = useState('');
  const [purpose, setPurpose] = useState('');
  const [page, setPage] = useState(1);
  const query = useQuery(filesQuery({ search: search.trim(), purpose, page: page - 1 }));
  const isFiltered = search.trim() !== '' || purpose !== '';
  return (
    <Page title="Files" lead="What was uploaded to the workspace, and what batches and tools made.">
      <Uploads />
      <Card
        flush
        title="Stored"
        actions={
          <>
            <SelectField
              hideLabel
              label="Purpose"
              options={purposes}
              value={purpose}
              onChange={(value) => {
                setPurpose(value);
                setPage(1);
              }}
            />
            <SearchField
              label="Search by name"
              value={search}
              onChange={(event) => {
                setSearch(event.target.value);
                setPage(1);
              }}
            />
          </>
        }
      >
        <Loaded query={query} padded>
          {({ data, total }) =>
            data.length === 0 ? (
              <EmptyState icon="file" title={isFiltered ? 'No matching file' : 'No files yet'}>
                {isFiltered ? 'Change the name or the purpose.' : 'Drop one above, or upload it with POST /v1/files.'}
              </EmptyState>
            ) : (
              <>
                <FileTable files={data} />
                <Pager page={page} onPage={setPage} pageSize={pageSize} total={total ?? undefined} />
              </>
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}

function Uploads() {
  const client = useQueryClient();
  const toast = useToast();
  const upload = useMutation({
    async mutationFn(files: File[]) {
      for (const file of files) {
        const form = new FormData();
        form.append('file', file, file.name);
        await api.raw('POST', '/v1/files', form);
      }
      return files.length;
    },
    onSuccess: (count) => toast.success(count === 1 ? 'The file is uploaded.' : `${count} files are uploaded.`),
    onError: toast.error,
    onSettled: () => client.invalidateQueries({ queryKey: filesKey }),
  });
  return (
    <DropField label="Upload files" multiple busy={upload.isPending} onFiles={(files) => upload.mutate(files)}>
      Drop files here. <span className="muted">Requests, agents and batches refer to them by id.</span>
    </DropField>
  );
}

function FileTable({ files }: { files: StoredFile[] }) {
  return (
    <Table
      caption="Files"
      rows={files}
      rowKey={({ id }) => id}
      columns={[
        { header: 'Name', cell: ({ filename }) => <span className="breakable">{filename}</span> },
        { header: 'Purpose', cell: ({ purpose }) => <Badge>{purpose}</Badge> },
        { header: 'Size', kind: 'end', cell: ({ bytes }) => formatBytes(bytes) },
        { header: 'Seen by', low: true, cell: ({ visibility }) => (visibility === 'user' ? 'Only you' : 'Workspace') },
        { header: 'Created', low: true, cell: ({ created_at }) => <Time value={created_at * 1000} /> },
        {
          header: 'Expires',
          low: true,
          cell: ({ expires_at }) => (expires_at ? <Time value={expires_at * 1000} /> : 'Never'),
        },
        { header: 'Actions', kind: 'actions', cell: (file) => <Actions file={file} /> },
      ]}
    />
  );
}

function Actions({ file: { id, filename } }: { file: StoredFile }) {
  const client = useQueryClient();
  const confirm = useConfirm();
  const toast = useToast();
  const attempt = (work: () => Promise<void>) => () => void work().catch(toast.error);
  const copy = async (text: string, what: string) => {
    await navigator.clipboard.writeText(text);
    toast.success(`The ${what} is copied.`);
  };
  return (
    <Menu
      label={`Actions for ${filename}`}
      items={[
        {
          label: 'Download',
          onSelect: attempt(async () =>
            saveFile(filename, await (await api.raw('GET', `${filePath(id)}/content`, undefined)).blob()),
          ),
        },
        { label: 'Copy id', onSelect: attempt(() => copy(id, 'id')) },
        {
          label: 'Copy link for a day',
          onSelect: attempt(async () => copy((await api.get<{ url: string }>(`${filePath(id)}/url`)).url, 'link')),
        },
        {
          label: 'Delete',
          danger: true,
          onSelect: attempt(async () => {
            const body = 'Whatever refers to it by its id cannot read it any more.';
            if (!(await confirm({ title: `Delete ${filename}?`, body, action: 'Delete file', danger: true }))) return;
            await api.delete(filePath(id));
            await client.invalidateQueries({ queryKey: filesKey });
          }),
        },
      ]}
    />
  );
}
