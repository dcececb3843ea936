import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { datasetsQuery } from '../../api/datasets.ts';
import { ListPage } from '../../ui/list-page.tsx';
import { Pager } from '../../ui/pager.tsx';
import tableStyles from '../../ui/table.module.css';
import { Time } from '../../ui/time.tsx';
import { useSearch } from '../../ui/use-search.ts';
import { DatasetDialog } from './dataset-dialog.tsx';
import { pageSize } from './queries.ts';

export function DatasetsPage() {
  const { search, page, setSearch, setPage } = useSearch();
  const query = useQuery(datasetsQuery(page, pageSize, search));
  return (
    <ListPage
      title="Datasets"
      lead="Questions, with or without answers, to try changes on."
      add={{ label: 'New dataset', dialog: (close) => <DatasetDialog onClose={close} /> }}
      search={{ label: 'Search datasets', value: search, onChange: setSearch, nothing: 'No dataset matches' }}
      query={query}
      rowsOf={({ results = [] }) => results}
      rowKey={({ id }) => id}
      empty={{
        icon: 'list',
        title: 'No dataset yet',
        text: 'Collect questions from a file or from requests. Evaluations answer them and say whether a change is better.',
      }}
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
      footer={({ count }) => <Pager page={page} onPage={setPage} pageSize={pageSize} total={count} />}
    />
  );
}
