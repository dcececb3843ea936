import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { DropField } from '../../ui/drop-field.tsx';
import { SearchField, SelectField } from '../../ui/field.tsx';
import { formatBytes } from '../../ui/format.ts';
import { Menu } from '../../ui/menu.tsx';
import { ObjectList } from '../../ui/object-list.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
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
  return (
    <Page title="Files" lead="What was uploaded to the workspace, and what batches and tools made.">
      <Uploads />
      <ObjectList
        caption="Files"
        filters={{
          fields: (
            <div className="row">
              <SearchField
                label="Search by name"
                value={search}
                onChange={(event) => {
                  setSearch(event.target.value);
                  setPage(1);
                }}
              />
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
            </div>
          ),
          isUsed: search.trim() !== '' || purpose !== '',
          nothing: 'No matching file',
          why: 'Change the name or the purpose.',
        }}
        query={query}
        rowsOf={({ data }) => data}
        rowKey={({ id }) => id}
        empty={{ icon: 'file', title: 'No files yet', text: 'Drop one above, or upload it with POST /v1/files.' }}
        columns={[
          { header: 'Name', cell: ({ filename }) => <span className="breakable">{filename}</span> },
          { header: 'Purpose', low: true, cell: ({ purpose }) => <Badge>{purpose}</Badge> },
          { header: 'Size', kind: 'end', cell: ({ bytes }) => <span className="nowrap">{formatBytes(bytes)}</span> },
          {
            header: 'Seen by',
            low: true,
            cell: ({ visibility }) => (visibility === 'user' ? 'Only you' : 'Workspace'),
          },
          { header: 'Created', low: true, cell: ({ created_at }) => <Time value={created_at * 1000} /> },
          {
            header: 'Expires',
            low: true,
            cell: ({ expires_at }) => (expires_at ? <Time value={expires_at * 1000} /> : 'Never'),
          },
          { header: 'Actions', kind: 'actions', cell: (file) => <Actions file={file} /> },
        ]}
        footer={({ total }) => <Pager page={page} onPage={setPage} pageSize={pageSize} total={total ?? undefined} />}
      />
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

function Actions({ file: { id, filename } }: { file: StoredFile }) {
  const toast = useToast();
  const remove = useRemoval({
    title: () => `Delete ${filename}?`,
    body: 'Whatever refers to it by its id cannot read it any more.',
    action: 'Delete file',
    run: () => api.delete(filePath(id)),
    done: () => `${filename} was deleted.`,
    reload: filesKey,
  });
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
          onSelect: () => remove.ask(),
        },
      ]}
    />
  );
}
