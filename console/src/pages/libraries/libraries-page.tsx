import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../ui/badge.tsx';
import { formatBytes, formatNumber } from '../../ui/format.ts';
import { ListPage } from '../../ui/list-page.tsx';
import { Pager } from '../../ui/pager.tsx';
import tableStyles from '../../ui/table.module.css';
import { Time } from '../../ui/time.tsx';
import { useSearch } from '../../ui/use-search.ts';
import { LibraryDialog } from './library-dialog.tsx';
import { librariesQuery, pageSize } from './queries.ts';

export function LibrariesPage() {
  const { search, page, setSearch, setPage } = useSearch();
  const query = useQuery(librariesQuery(page - 1, search));
  return (
    <ListPage
      title="Libraries"
      lead="Documents that models can search and cite."
      add={{ label: 'New library', dialog: (close) => <LibraryDialog onClose={close} /> }}
      search={{ label: 'Search libraries', value: search, onChange: setSearch, nothing: 'No library has this name' }}
      query={query}
      rowsOf={({ data }) => data}
      rowKey={({ id }) => id}
      empty={{
        icon: 'book',
        title: 'No library yet',
        text: 'Put documents together that belong together. Then search them, ask about them, or let an agent use them.',
      }}
      columns={[
        {
          header: 'Library',
          cell: ({ id, name, description }) => (
            <div>
              <Link to="/libraries/$libraryId" params={{ libraryId: id }} className={`${tableStyles.link} breakable`}>
                {name}
              </Link>
              {description && <div className="muted">{description}</div>}
            </div>
          ),
        },
        { header: 'Documents', kind: 'end', cell: ({ nb_documents }) => formatNumber(nb_documents) },
        { header: 'Size', kind: 'end', low: true, cell: ({ total_size }) => formatBytes(total_size) },
        {
          header: 'For',
          low: true,
          cell: ({ owner_type, org_sharing_role }) => (
            <Badge>{org_sharing_role ? 'Organization' : owner_type === 'User' ? 'Only you' : 'Workspace'}</Badge>
          ),
        },
        { header: 'Changed', low: true, cell: ({ updated_at }) => <Time value={updated_at} /> },
      ]}
      footer={({ pagination }) => (
        <Pager page={page} onPage={setPage} pageSize={pageSize} total={pagination?.total_items} />
      )}
    />
  );
}
