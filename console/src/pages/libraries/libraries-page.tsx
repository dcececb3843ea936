import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SearchField } from '../../ui/field.tsx';
import { formatBytes, formatNumber } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import tableStyles from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { LibraryDialog } from './library-dialog.tsx';
import { type Library, librariesQuery, pageSize } from './queries.ts';

export function LibrariesPage() {
  const [isAdding, setAdding] = useState(false);
  const [search, setSearch] = useState('');
  const [page, setPage] = useState(1);
  const query = useQuery(librariesQuery(page - 1, search));
  const add = (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      New library
    </Button>
  );
  return (
    <Page title="Libraries" lead="Documents that models can search and cite." actions={add}>
      <SearchField
        label="Search libraries"
        value={search}
        onChange={(event) => {
          setSearch(event.target.value);
          setPage(1);
        }}
      />
      <Card flush>
        <Loaded query={query} padded>
          {({ data, pagination }) =>
            data.length === 0 ? (
              search ? (
                <EmptyState icon="search" title="No library has this name" />
              ) : (
                <EmptyState icon="book" title="No library yet" action={add}>
                  Put documents together that belong together. Then search them, ask about them, or let an agent use
                  them.
                </EmptyState>
              )
            ) : (
              <>
                <LibraryTable libraries={data} />
                <Pager page={page} onPage={setPage} pageSize={pageSize} total={pagination?.total_items} />
              </>
            )
          }
        </Loaded>
      </Card>
      {isAdding && <LibraryDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

function LibraryTable({ libraries }: { libraries: readonly Library[] }) {
  return (
    <Table
      caption="Libraries"
      rows={libraries}
      rowKey={({ id }) => id}
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
    />
  );
}
