import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { api } from '../../api/api.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SearchField, SelectField } from '../../ui/field.tsx';
import { formatBytes, formatNumber } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Pager } from '../../ui/pager.tsx';
import tableStyles from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { DocumentState } from './document-state.tsx';
import { DropZone } from './drop-zone.tsx';
import { Frame } from './frame.tsx';
import styles from './libraries.module.css';
import { type Document, documentPath, documentsQuery, librariesKey, pageSize } from './queries.ts';
import { useUploads } from './use-uploads.ts';
import { WebDialog } from './web-dialog.tsx';

const route = getRouteApi('/shell/libraries/$libraryId');

const SORTS = [
  { value: 'created_at-desc', label: 'Newest first' },
  { value: 'created_at-asc', label: 'Oldest first' },
  { value: 'name-asc', label: 'Name' },
  { value: 'size-desc', label: 'Largest first' },
  { value: 'number_of_pages-desc', label: 'Most pages first' },
  { value: 'extension-asc', label: 'Type' },
  { value: 'process_status-desc', label: 'State' },
] as const;

export function DocumentsPage() {
  const { libraryId } = route.useParams();
  return <Frame libraryId={libraryId}>{() => <Documents key={libraryId} libraryId={libraryId} />}</Frame>;
}

function Documents({ libraryId }: { libraryId: string }) {
  const { search = '', sort = 'created_at-desc' } = route.useSearch();
  const navigate = route.useNavigate();
  const [page, setPage] = useState(1);
  const [isWeb, setWeb] = useState(false);
  const toast = useToast();
  const { uploads, add, dismiss } = useUploads(libraryId, (name) =>
    toast.success(`The library has this content already: ${name}.`),
  );
  const [by = 'created_at', order = 'desc'] = sort.split('-');
  const known = SORTS.some(({ value }) => value === sort);
  const query = useQuery(
    documentsQuery(
      libraryId,
      page - 1,
      useDeferredValue(search),
      known ? { by, order } : { by: 'created_at', order: 'desc' },
    ),
  );
  // Kept in the address, so that a list can be linked to.
  const set = (part: { search?: string; sort?: string }) => {
    setPage(1);
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  };
  return (
    <>
      <DropZone uploads={uploads} onFiles={add} onDismiss={dismiss} onWeb={() => setWeb(true)} />
      <div className={styles.filters}>
        <SearchField label="Filter by name" value={search} onChange={(event) => set({ search: event.target.value })} />
        <SelectField
          label="Sort by"
          hideLabel
          value={sort}
          options={known ? SORTS : [...SORTS, { value: sort, label: sort }]}
          onChange={(chosen: string) => set({ sort: chosen })}
        />
      </div>
      <Card flush>
        <Loaded query={query} padded>
          {({ data, pagination }) =>
            data.length === 0 ? (
              search ? (
                <EmptyState icon="search" title="No document has this name" />
              ) : (
                <EmptyState icon="file" title="No document yet">
                  Drop files above. They are read, split into passages and can then be searched and cited.
                </EmptyState>
              )
            ) : (
              <>
                <DocumentTable documents={data} />
                <Pager page={page} onPage={setPage} pageSize={pageSize} total={pagination.total_items} />
              </>
            )
          }
        </Loaded>
      </Card>
      {isWeb && <WebDialog libraryId={libraryId} onClose={() => setWeb(false)} />}
    </>
  );
}

function DocumentTable({ documents }: { documents: readonly Document[] }) {
  return (
    <Table
      caption="Documents"
      rows={documents}
      rowKey={({ id }) => id}
      columns={[
        {
          header: 'Document',
          cell: ({ id, library_id, name, summary }) => (
            <div>
              <Link
                to="/libraries/$libraryId/documents/$documentId"
                params={{ libraryId: library_id, documentId: id }}
                className={`${tableStyles.link} breakable`}
              >
                {name}
              </Link>
              {summary && <div className={`muted small ${styles.summary}`}>{summary}</div>}
            </div>
          ),
        },
        { header: 'State', cell: (document) => <DocumentState document={document} /> },
        {
          header: 'Pages',
          kind: 'end',
          low: true,
          cell: ({ number_of_pages }) => (number_of_pages ? formatNumber(number_of_pages) : '–'),
        },
        {
          header: 'Size',
          kind: 'end',
          low: true,
          cell: ({ size }) => (size === null ? '–' : <span className="nowrap">{formatBytes(size)}</span>),
        },
        {
          header: 'Added',
          low: true,
          cell: ({ created_at }) => (
            <span className="nowrap">
              <Time value={created_at} />
            </span>
          ),
        },
        { header: 'Actions', kind: 'actions', cell: (document) => <DocumentMenu document={document} /> },
      ]}
    />
  );
}

function DocumentMenu({ document: { id, library_id, name } }: { document: Document }) {
  const { again, remove } = useDocumentActions(library_id, id, name);
  return (
    <Menu
      label={`Actions of ${name}`}
      items={[
        { label: 'Read again', onSelect: () => again.mutate() },
        { label: 'Delete', danger: true, onSelect: () => remove() },
      ]}
    />
  );
}

export function useDocumentActions(libraryId: string, id: string, name: string, onRemoved?: () => Promise<void>) {
  const client = useQueryClient();
  const toast = useToast();
  const path = documentPath(libraryId, id);
  const refresh = () => client.invalidateQueries({ queryKey: librariesKey });
  const again = useMutation({
    mutationFn: () => api.post(`${path}/reprocess`),
    onSuccess: refresh,
    onError: toast.error,
  });
  const { ask: remove } = useRemoval({
    title: () => `Delete ${name}?`,
    body: 'Its text and passages are deleted with it. Answers that cite it lose their place.',
    action: 'Delete document',
    run: () => api.delete(path),
    done: () => `${name} was deleted.`,
    ...(onRemoved ? { leave: onRemoved } : {}),
    reload: librariesKey,
  });
  return { again, remove };
}
