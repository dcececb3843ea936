import { Link } from '@tanstack/react-router';
import { formatDuration } from '../../ui/format.ts';
import tableStyles from '../../ui/table.module.css';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import type { ExecutionSummary } from './queries.ts';
import { StatusBadge } from './status-badge.tsx';

export const executionColumns: readonly Column<ExecutionSummary>[] = [
  {
    header: 'Execution',
    cell: ({ execution_id, parent_execution_id }) => (
      <div>
        <Link
          to="/workflows/executions/$executionId"
          params={{ executionId: execution_id }}
          className={`${tableStyles.link} breakable mono`}
        >
          {execution_id}
        </Link>
        {parent_execution_id && (
          <div className="small muted breakable">
            Child of{' '}
            <Link to="/workflows/executions/$executionId" params={{ executionId: parent_execution_id }}>
              {parent_execution_id}
            </Link>
          </div>
        )}
      </div>
    ),
  },
  {
    header: 'Workflow',
    low: true,
    cell: ({ workflow_name }) => (
      <Link to="/workflows/$name" params={{ name: workflow_name }} className="breakable">
        {workflow_name}
      </Link>
    ),
  },
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Started', low: true, cell: ({ start_time }) => <Time value={start_time} /> },
  {
    header: 'Duration',
    kind: 'end',
    low: true,
    cell: ({ total_duration_ms }) => (total_duration_ms == null ? '–' : formatDuration(total_duration_ms)),
  },
];

export const keyOfExecution = ({ run_id, execution_id }: ExecutionSummary) => run_id ?? execution_id;

/** The executions of one workflow. */
export function ExecutionTable({ executions, caption }: { executions: readonly ExecutionSummary[]; caption: string }) {
  return (
    <Table
      caption={caption}
      rows={executions}
      rowKey={keyOfExecution}
      columns={executionColumns.filter(({ header }) => header !== 'Workflow')}
    />
  );
}
