import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './home.module.css';
import { errorsQuery } from './queries.ts';

const pageSize = 10;

export function RecentErrors() {
  const [page, setPage] = useState(1);
  const query = useQuery(errorsQuery);
  return (
    <Card title="Recent errors" flush>
      <Loaded query={query} padded>
        {({ errors }) =>
          errors.length === 0 ? (
            <EmptyState icon="check" title="No errors since the server started">
              Rejected and failed requests of this workspace appear here, with the request ID to find them in the log.
            </EmptyState>
          ) : (
            <>
              <Table
                caption="Recent errors"
                rows={errors.slice((page - 1) * pageSize, page * pageSize)}
                rowKey={({ request_id, at }) => `${request_id} ${at}`}
                columns={[
                  {
                    header: 'Status',
                    cell: ({ status }) => <Badge tone={status >= 500 ? 'danger' : 'warning'}>{status}</Badge>,
                  },
                  {
                    header: 'Request',
                    cell: ({ method, route, message }) => (
                      <div className="breakable">
                        <code>
                          {method} {route}
                        </code>
                        <div className="small muted">{message}</div>
                      </div>
                    ),
                  },
                  { header: 'When', low: true, cell: ({ at }) => <Time value={at} /> },
                  {
                    header: 'Request ID',
                    cell: ({ request_id }) => (
                      <span className={styles.requestIdCell}>
                        <code className={`small clip ${styles.requestId}`} title={request_id}>
                          {request_id}
                        </code>
                        <CopyButton small iconOnly text={request_id} label={`Copy request ID ${request_id}`} />
                      </span>
                    ),
                  },
                ]}
              />
              <Pager page={page} onPage={setPage} pageSize={pageSize} total={errors.length} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
