import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { formatMoment } from '../../ui/format.ts';
import tableStyles from '../../ui/table.module.css';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { describeSchedule, nameSchedule } from './describe-schedule.ts';
import { type Schedule, schedulesQuery } from './queries.ts';

export const scheduleColumns: readonly Column<Schedule>[] = [
  {
    header: 'Schedule',
    cell: (schedule) => (
      <Link
        to="/workflows/schedules/$scheduleId"
        params={{ scheduleId: schedule.schedule_id }}
        className={`${tableStyles.link} breakable`}
      >
        {nameSchedule(schedule)}
      </Link>
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
  {
    header: 'When',
    low: true,
    cell: (schedule) => <span className="breakable">{describeSchedule(schedule)}</span>,
  },
  { header: 'Next run', cell: (schedule) => <NextRun schedule={schedule} /> },
];
export function NextRun({ schedule: { paused, future_executions } }: { schedule: Schedule }) {
  const next = future_executions?.[0];
  if (paused)
    return (
      <Badge tone="warning" dot>
        Paused
      </Badge>
    );
  if (!next) return <span className="muted">None</span>;
  return (
    <div>
      <div className="numbers">{formatMoment(next.scheduled_at)}</div>
      <div className="small muted">
        <Time value={next.scheduled_at} />
      </div>
    </div>
  );
}

/** The schedules of one workflow; hidden if there are none. */
export function WorkflowSchedules({ workflow }: { workflow: string }) {
  const { data } = useQuery(schedulesQuery({ workflow, search: '', cursor: undefined }));
  if (!data?.schedules.length) return null;
  return (
    <Card flush title="Schedules">
      <Table
        caption="Schedules"
        rows={data.schedules}
        rowKey={({ schedule_id }) => schedule_id}
        columns={scheduleColumns.filter(({ header }) => header !== 'Workflow')}
      />
    </Card>
  );
}
