import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { api } from '../../api/api.ts';
import { type Dataset, datasetPath, datasetQuery, datasetsKey } from '../../api/datasets.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { DatasetDialog } from './dataset-dialog.tsx';
import { ImportTable, RunningImports } from './imports.tsx';
import { importFile } from './queries.ts';
import { RecordDialog } from './record-dialog.tsx';
import { RecordTable } from './record-table.tsx';

const route = getRouteApi('/shell/datasets/$datasetId');
const TABS = [
  { value: 'records', label: 'Records' },
  { value: 'imports', label: 'Imports' },
] as const;

export function DatasetPage() {
  const { datasetId } = route.useParams();
  const query = useQuery(datasetQuery(datasetId));
  return <Loaded query={query}>{(dataset) => <Shown key={dataset.id} dataset={dataset} />}</Loaded>;
}

function Shown({ dataset }: { dataset: Dataset }) {
  const { tab = 'records' } = route.useSearch();
  const navigate = route.useNavigate();
  const [isAdding, setAdding] = useState(false);
  return (
    <Page
      title={dataset.name}
      lead={dataset.description}
      crumbs={<Link to="/datasets">Datasets</Link>}
      actions={
        <>
          <ImportButton dataset={dataset} />
          <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
            Add record
          </Button>
          <DatasetMenu dataset={dataset} />
        </>
      }
    >
      <RunningImports datasetId={dataset.id} />
      <Tabs
        label="Parts of the dataset"
        tabs={TABS}
        value={tab}
        onChange={(to) => void navigate({ search: to === 'imports' ? { tab: to } : {}, replace: true })}
      >
        {tab === 'records' ? <RecordTable datasetId={dataset.id} /> : <ImportTable datasetId={dataset.id} />}
      </Tabs>
      {isAdding && <RecordDialog datasetId={dataset.id} onClose={() => setAdding(false)} />}
    </Page>
  );
}

function ImportButton({ dataset: { id } }: { dataset: Dataset }) {
  const input = useRef<HTMLInputElement>(null);
  const client = useQueryClient();
  const toast = useToast();
  const start = useMutation({
    mutationFn: (file: File) => importFile(id, file),
    onSuccess: () => client.invalidateQueries({ queryKey: [...datasetsKey, 'one', id] }),
    onError: toast.error,
  });
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="File to import"
        accept=".jsonl,.ndjson,application/x-ndjson,application/jsonl"
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file) start.mutate(file);
          target.value = '';
        }}
      />
      <Button
        icon="file"
        busy={start.isPending}
        title="A file with one JSON object a line"
        onClick={() => input.current?.click()}
      >
        Import file
      </Button>
    </>
  );
}

function DatasetMenu({ dataset }: { dataset: Dataset }) {
  const [isRenaming, setRenaming] = useState(false);
  const navigate = useNavigate();
  const toast = useToast();
  const path = datasetPath(dataset.id);
  const download = useMutation({
    mutationFn: () => api.get<{ file_url: string }>(`${path}/exports/to-jsonl`),
    // The address is signed for half an hour and answers with an attachment, so this page stays. Its path is
    // enough: behind a proxy the server may be known by another host.
    onSuccess: ({ file_url }) => {
      const { pathname, search } = new URL(file_url);
      window.location.assign(pathname + search);
    },
    onError: toast.error,
  });
  const remove = useRemoval({
    title: () => `Delete ${dataset.name}?`,
    body: 'All its records are deleted. Runs that used it keep their copies.',
    action: 'Delete dataset',
    run: () => api.delete(path),
    done: () => `${dataset.name} was deleted.`,
    leave: () => navigate({ to: '/datasets' }),
    reload: datasetsKey,
  });
  return (
    <>
      <Menu
        label={`Actions of ${dataset.name}`}
        items={[
          { label: 'Export as JSONL', onSelect: () => download.mutate() },
          { label: 'Rename', onSelect: () => setRenaming(true) },
          { label: 'Delete', danger: true, onSelect: () => remove.ask() },
        ]}
      />
      {isRenaming && <DatasetDialog dataset={dataset} onClose={() => setRenaming(false)} />}
    </>
  );
}
