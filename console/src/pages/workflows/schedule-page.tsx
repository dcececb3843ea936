import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatMoment } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { describeTimetable, overlaps } from './describe-timetable.ts';
import { executionsKey, type Schedule, schedulePath, scheduleQuery, schedulesKey } from './queries.ts';
import { ScheduleDialog } from './schedule-dialog.tsx';

const route = getRouteApi('/shell/workflows/schedules/$scheduleId');

export function SchedulePage() {
  const { scheduleId } = route.useParams();
  const query = useQuery(scheduleQuery(scheduleId));
  const [isEditing, setIsEditing] = useState(false);
  return (
    <Page
      title={scheduleId}
      crumbs={
        <>
          <Link to="/workflows">Workflows</Link> / <Link to="/workflows/schedules">Schedules</Link>
        </>
      }
      lead={query.data && describeTimetable(query.data)}
      actions={query.data && <Actions schedule={query.data} onEdit={() => setIsEditing(true)} />}
    >
      <Loaded query={query}>{(schedule) => <Details schedule={schedule} />}</Loaded>
      {isEditing && query.data && <ScheduleDialog schedule={query.data} onClose={() => setIsEditing(false)} />}
    </Page>
  );
}

function Actions({ schedule, onEdit }: { schedule: Schedule; onEdit: () => void }) {
  const { schedule_id: id, paused } = schedule;
  const client = useQueryClient();
  const confirm = useConfirm();
  const navigate = useNavigate();
  const toast = useToast();
  const act = useMutation({
    mutationFn: (deed: 'pause' | 'resume' | 'trigger') => api.post(`${schedulePath(id)}/${deed}`, {}),
    onSuccess: (_, deed) =>
      toast.success(
        { pause: 'The schedule is paused.', resume: 'The schedule goes on.', trigger: 'It was started.' }[deed],
      ),
    onError: (error) => toast.error(error),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: schedulesKey }),
        client.invalidateQueries({ queryKey: executionsKey }),
      ]),
  });
  const remove = useMutation({
    mutationFn: () => api.delete(schedulePath(id)),
    onSuccess: async () => {
      await navigate({ to: '/workflows/schedules' });
      toast.success('The schedule was deleted.');
      client.removeQueries({ queryKey: scheduleQuery(id).queryKey });
      await client.invalidateQueries({ queryKey: schedulesKey });
    },
    onError: (error) => toast.error(error),
  });
  const askToRemove = async () => {
    const body = `${schedule.workflow_name} will no longer be started by it. What it has started goes on.`;
    if (await confirm({ title: `Delete ${id}?`, body, action: 'Delete', danger: true })) remove.mutate();
  };
  return (
    <>
      <Button icon="play" busy={act.isPending && act.variables === 'trigger'} onClick={() => act.mutate('trigger')}>
        Start one now
      </Button>
      <Button
        icon={paused ? 'play' : 'stop'}
        busy={act.isPending && act.variables !== 'trigger'}
        onClick={() => act.mutate(paused ? 'resume' : 'pause')}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
      <Menu
        label="More about this schedule"
        items={[
          { label: 'Change', onSelect: onEdit },
          { label: 'Delete', danger: true, onSelect: askToRemove },
        ]}
      />
    </>
  );
}

function Details({ schedule }: { schedule: Schedule }) {
  const { future_executions: future = [], recent_executions: recent = [], paused, note, policy } = schedule;
  return (
    <>
      {paused && (
        <Notice tone="warning">Paused{note ? `: ${note}` : '.'} Times that pass meanwhile are not made up for.</Notice>
      )}
      <div className="workflow-columns">
        <div className="stack">
          <Card flush title="Next runs">
            {future.length === 0 ? (
              <EmptyState icon="clock" title="None to come">
                {paused
                  ? 'Resume the schedule to see when it would run.'
                  : 'Its times are over, or it has run as often as it may.'}
              </EmptyState>
            ) : (
              <ol className="next-runs">
                {future.map(({ scheduled_at }) => (
                  <li key={scheduled_at}>
                    <span className="numbers">{formatMoment(scheduled_at)}</span>
                    <span className="muted">
                      <Time value={scheduled_at} />
                    </span>
                  </li>
                ))}
              </ol>
            )}
          </Card>
          <Card flush title="Newest runs">
            {recent.length === 0 ? (
              <EmptyState icon="flow" title="None so far" />
            ) : (
              <Table
                caption="Newest runs"
                rows={recent}
                rowKey={({ execution_id, started_at }) => `${execution_id} ${started_at}`}
                columns={[
                  {
                    header: 'Execution',
                    cell: ({ execution_id }) => (
                      <Link
                        to="/workflows/executions/$executionId"
                        params={{ executionId: execution_id }}
                        className="cell-link breakable mono"
                      >
                        {execution_id}
                      </Link>
                    ),
                  },
                  { header: 'For', low: true, cell: ({ scheduled_at }) => formatMoment(scheduled_at) },
                  { header: 'Started', cell: ({ started_at }) => <Time value={started_at} /> },
                ]}
              />
            )}
          </Card>
        </div>
        <div className="stack">
          <Card title="About">
            <Facts
              facts={[
                [
                  'Workflow',
                  <Link key="workflow" to="/workflows/$name" params={{ name: schedule.workflow_name }}>
                    {schedule.workflow_name}
                  </Link>,
                ],
                [
                  'State',
                  <Badge key="state" dot tone={paused ? 'warning' : 'success'}>
                    {paused ? 'Paused' : 'Active'}
                  </Badge>,
                ],
                ['While one runs', overlaps.find(({ value }) => value === String(policy?.overlap ?? 1))?.label],
                ['Runs left', schedule.remaining_executions ?? 'No bound'],
                ['From', schedule.start_at ? formatMoment(schedule.start_at) : '–'],
                ['Until', schedule.end_at ? formatMoment(schedule.end_at) : '–'],
                ['Deployment', schedule.deployment_name ?? '–'],
              ]}
            />
          </Card>
          <CodeBlock title="Input" code={JSON.stringify(schedule.input ?? {}, null, 2)} />
        </div>
      </div>
    </>
  );
}
