import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatNumber } from '../../ui/format.ts';
import { ListPage } from '../../ui/list-page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Time } from '../../ui/time.tsx';
import { JobDialog } from './job-dialog.tsx';
import { JobStatus } from './job-status.tsx';
import { jobsQuery, pageSize } from './queries.ts';

export function BatchPage() {
  const [page, setPage] = useState(1);
  const query = useQuery(jobsQuery(page - 1));
  return (
    <ListPage
      title="Batch"
      lead="Many requests as one job, which runs when there is room."
      add={{ label: 'New batch', dialog: (close) => <JobDialog onClose={close} /> }}
      empty={{ icon: 'list', title: 'No batch yet', text: 'Drop a JSONL file with one request in each line.' }}
      query={query}
      rowsOf={({ data = [] }) => data}
      rowKey={({ id }) => id}
      columns={[
        {
          header: 'Job',
          cell: ({ id, metadata, endpoint }) => (
            <Link className="breakable" to="/batch/$jobId" params={{ jobId: id }}>
              {typeof metadata?.name === 'string' ? metadata.name : `${endpoint} ${id.slice(0, 8)}`}
            </Link>
          ),
        },
        { header: 'State', cell: ({ status }) => <JobStatus status={status} /> },
        {
          header: 'Requests',
          kind: 'end',
          cell: ({ completed_requests, total_requests }) =>
            `${formatNumber(completed_requests)} of ${formatNumber(total_requests)}`,
        },
        { header: 'Failed', kind: 'end', low: true, cell: ({ failed_requests }) => formatNumber(failed_requests) },
        { header: 'Model', low: true, cell: ({ model, agent_id }) => model ?? agent_id ?? '–' },
        { header: 'Created', low: true, cell: ({ created_at }) => <Time value={created_at * 1000} /> },
      ]}
      footer={({ total }) => <Pager page={page} onPage={setPage} pageSize={pageSize} total={total} />}
    />
  );
}
