import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { datasetsQuery } from '../../api/datasets.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SearchField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import tableStyles from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { DatasetDialog } from './dataset-dialog.tsx';
import { pageSize } from './queries.ts';

export function DatasetsPage() {
  const [isAdding, setAdding] = useState(false);
  const [search, setSearch] = useState('');
  const [page, setPage] = useState(1);
  const query = useQuery(datasetsQuery(page, pageSize, search));
  const add = (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      New dataset
    </Button>
  );
  return (
    <Page title="Datasets" lead="Questions, with or without answers, to try changes on." actions={add}>
      <SearchField
        label="Search datasets"
        value={search}
        onChange={(event) => {
          setSearch(event.target.value);
          setPage(1);
        }}
      />
      <Card flush>
        <Loaded query={query} padded>
          {({ results = [], count }) =>
            results.length === 0 ? (
              search ? (
                <EmptyState icon="search" title="No dataset matches" />
              ) : (
                <EmptyState icon="list" title="No dataset yet" action={add}>
                  Collect questions from a file or from requests. Evaluations answer them and say whether a change is
                  better.
                </EmptyState>
              )
            ) : (
              <>
                <Table
                  caption="Datasets"
                  rows={results}
                  rowKey={({ id }) => id}
                  columns={[
                    {
                      header: 'Dataset',
                      cell: ({ id, name, description }) => (
                        <div className="breakable">
                          <Link to="/datasets/$datasetId" params={{ datasetId: id }} className={tableStyles.link}>
                            {name}
                          </Link>
                          {description && <div className="muted">{description}</div>}
                        </div>
                      ),
                    },
                    { header: 'Short name', low: true, cell: ({ slug }) => <code className="breakable">{slug}</code> },
                    { header: 'Changed', low: true, cell: ({ updated_at }) => <Time value={updated_at} /> },
                  ]}
                />
                <Pager page={page} onPage={setPage} pageSize={pageSize} total={count} />
              </>
            )
          }
        </Loaded>
      </Card>
      {isAdding && <DatasetDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}
