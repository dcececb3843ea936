import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatMoment } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import tableStyles from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { describeSchedule, nameSchedule, overlaps } from './describe-schedule.ts';
import { executionsKey, type Schedule, schedulePath, scheduleQuery, schedulesKey } from './queries.ts';
import { ScheduleDialog } from './schedule-dialog.tsx';
import styles from './workflows.module.css';

const route = getRouteApi('/shell/workflows/schedules/$scheduleId');

export function SchedulePage() {
  const { scheduleId } = route.useParams();
  const query = useQuery(scheduleQuery(scheduleId));
  const [isEditing, setIsEditing] = useState(false);
  return (
    <Page
      title={query.data ? nameSchedule(query.data) : 'Schedule'}
      crumbs={
        <>
          <Link to="/workflows">Workflows</Link> / <Link to="/workflows/schedules">Schedules</Link>
        </>
      }
      lead={query.data && describeSchedule(query.data)}
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
  const navigate = useNavigate();
  const toast = useToast();
  const act = useMutation({
    mutationFn: (deed: 'pause' | 'resume' | 'trigger') => api.post(`${schedulePath(id)}/${deed}`, {}),
    onSuccess: (_, deed) =>
      toast.success(
        { pause: 'The schedule was paused.', resume: 'The schedule was resumed.', trigger: 'Execution started.' }[deed],
      ),
    onError: (error) => toast.error(error),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: schedulesKey }),
        client.invalidateQueries({ queryKey: executionsKey }),
      ]),
  });
  const remove = useRemoval({
    title: () => `Delete ${nameSchedule(schedule)}?`,
    body: `It will no longer start ${schedule.workflow_name}. Running executions continue.`,
    action: 'Delete',
    run: () => api.delete(schedulePath(id)),
    done: () => 'The schedule was deleted.',
    leave: () => navigate({ to: '/workflows/schedules' }),
    forget: scheduleQuery(id).queryKey,
    reload: schedulesKey,
  });
  return (
    <>
      <Button icon="play" busy={act.isPending && act.variables === 'trigger'} onClick={() => act.mutate('trigger')}>
        Run now
      </Button>
      <Button
        icon={paused ? 'play' : 'stop'}
        busy={act.isPending && act.variables !== 'trigger'}
        onClick={() => act.mutate(paused ? 'resume' : 'pause')}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
      <Menu
        label="Actions for this schedule"
        items={[
          { label: 'Edit', onSelect: onEdit },
          { label: 'Delete', danger: true, onSelect: () => remove.ask() },
        ]}
      />
    </>
  );
}

function Details({ schedule }: { schedule: Schedule }) {
  const { future_executions: future = [], recent_executions: recent = [], paused, note, policy } = schedule;
  return (
    <>
      {paused && <Notice tone="warning">Paused{note ? `: ${note}` : '.'} Missed runs are skipped.</Notice>}
      <div className={styles.workflowColumns}>
        <div className="stack">
          <Card flush title="Next runs">
            {future.length === 0 ? (
              <EmptyState icon="clock" title="No upcoming runs">
                {paused
                  ? 'Resume the schedule to see its next runs.'
                  : 'The schedule has ended or reached its run limit.'}
              </EmptyState>
            ) : (
              <ol className={styles.nextRuns} data-testid="next-runs">
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
          <Card flush title="Recent runs">
            {recent.length === 0 ? (
              <EmptyState icon="flow" title="No runs yet" />
            ) : (
              <Table
                caption="Recent runs"
                rows={recent}
                rowKey={({ execution_id, started_at }) => `${execution_id} ${started_at}`}
                columns={[
                  {
                    header: 'Execution',
                    cell: ({ execution_id }) => (
                      <Link
                        to="/workflows/executions/$executionId"
                        params={{ executionId: execution_id }}
                        className={`${tableStyles.link} breakable mono`}
                      >
                        {execution_id}
                      </Link>
                    ),
                  },
                  { header: 'Scheduled for', low: true, cell: ({ scheduled_at }) => formatMoment(scheduled_at) },
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
                ['Overlap policy', overlaps.find(({ value }) => value === String(policy?.overlap ?? 1))?.label],
                ['Runs left', schedule.remaining_executions ?? 'Unlimited'],
                ['From', schedule.start_at ? formatMoment(schedule.start_at) : '–'],
                ['Until', schedule.end_at ? formatMoment(schedule.end_at) : '–'],
                [
                  'ID',
                  <code key="id" className="breakable">
                    {schedule.schedule_id}
                  </code>,
                ],
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
