import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './datasets.module.css';
import { type DatasetRecord, pageSize, recordsQuery } from './queries.ts';
import { RecordDialog } from './record-dialog.tsx';
import { summaryOf } from './record-text.ts';

const SOURCES: Readonly<Record<DatasetRecord['source'], string>> = {
  EXPLORER: 'Explorer',
  UPLOADED_FILE: 'File',
  DIRECT_INPUT: 'Written',
  PLAYGROUND: 'Conversation',
  TELEMETRY_SPAN: 'Request',
};

export function RecordTable({ datasetId }: { datasetId: string }) {
  const [page, setPage] = useState(1);
  const [opened, setOpened] = useState<DatasetRecord>();
  const query = useQuery(recordsQuery(datasetId, page));
  return (
    <Card flush>
      <Loaded query={query} padded>
        {({ results = [], count }) =>
          count === 0 ? (
            <EmptyState icon="list" title="No record yet">
              Import a file with one JSON object a line, add a record here, or add requests on their pages.
            </EmptyState>
          ) : (
            <>
              <Table
                caption="Records"
                rows={results}
                rowKey={({ id }) => id}
                columns={[
                  {
                    header: 'Question',
                    cell: (record) => (
                      <button type="button" className={`${styles.recordOpen} clip`} onClick={() => setOpened(record)}>
                        {summaryOf(record).question || 'No question'}
                      </button>
                    ),
                  },
                  {
                    header: 'Answer',
                    low: true,
                    cell: (record) => (
                      <div className={`${styles.recordAnswer} clip muted`}>{summaryOf(record).answer || '–'}</div>
                    ),
                  },
                  { header: 'From', low: true, cell: ({ source }) => <Badge>{SOURCES[source]}</Badge> },
                  { header: 'Added', low: true, cell: ({ created_at }) => <Time value={created_at} /> },
                ]}
              />
              <Pager page={page} onPage={setPage} pageSize={pageSize} total={count} />
            </>
          )
        }
      </Loaded>
      {opened && <RecordDialog datasetId={datasetId} record={opened} onClose={() => setOpened(undefined)} />}
    </Card>
  );
}
