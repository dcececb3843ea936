import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import figureStyles from '../../ui/figure.module.css';
import { formatDuration, formatNumber } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { EditWorkflowDialog } from './edit-workflow-dialog.tsx';
import { ExecutionTable } from './execution-table.tsx';
import {
  executionsQuery,
  metricsQuery,
  type Registration,
  registrationsQuery,
  type Workflow,
  workflowQuery,
} from './queries.ts';
import { RunDialog } from './run-dialog.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { WorkflowSchedules } from './schedule-table.tsx';
import styles from './workflows.module.css';
import { useArchive } from './workflows-page.tsx';

const route = getRouteApi('/shell/workflows/$name');
const RECENT = 10;

export function WorkflowPage() {
  const { name } = route.useParams();
  const query = useQuery(workflowQuery(name));
  const crumbs = <Link to="/workflows">Workflows</Link>;
  if (!query.data)
    return (
      <Page title={name} crumbs={crumbs}>
        {query.isError ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Skeleton lines={6} />
        )}
      </Page>
    );
  return <WorkflowDetails workflow={query.data} />;
}

function WorkflowDetails({ workflow }: { workflow: Workflow }) {
  const [open, setOpen] = useState<'run' | 'edit' | 'schedule'>();
  const archive = useArchive();
  const close = () => setOpen(undefined);
  const registrations = useQuery(registrationsQuery(workflow.id, false));
  return (
    <Page
      title={workflow.display_name}
      lead={workflow.description}
      crumbs={<Link to="/workflows">Workflows</Link>}
      actions={
        <>
          {!workflow.archived && (
            <>
              <Button icon="clock" onClick={() => setOpen('schedule')}>
                Schedule
              </Button>
              <Button look="primary" icon="play" onClick={() => setOpen('run')}>
                Run
              </Button>
            </>
          )}
          <Menu
            label="Actions for this workflow"
            items={[
              { label: 'Edit details', onSelect: () => setOpen('edit') },
              { label: workflow.archived ? 'Unarchive' : 'Archive', onSelect: () => archive(workflow) },
            ]}
          />
        </>
      }
    >
      {workflow.archived && <Notice>This workflow is archived. Unarchive it to run it.</Notice>}
      {!workflow.archived && !workflow.active && (
        <Notice tone="warning">
          No worker is serving this workflow. Start one to run it; waiting executions continue once it connects.
        </Notice>
      )}
      <Metrics name={workflow.name} />
      <div className={styles.workflowColumns}>
        <div className="stack">
          <RecentExecutions name={workflow.name} />
          <WorkflowSchedules workflow={workflow.name} />
        </div>
        <div className="stack">
          <Card title="About">
            <Facts
              facts={[
                ['Name', <code key="name">{workflow.name}</code>],
                [
                  'Worker',
                  <Badge key="worker" dot tone={workflow.active ? 'success' : 'neutral'}>
                    {workflow.active ? 'Connected' : 'None'}
                  </Badge>,
                ],
                ['Deployments', deploymentsOf(registrations.data)],
                ['Tags', workflow.tags?.length ? workflow.tags.join(', ') : 'None'],
                ['ID', <code key="id">{workflow.id}</code>],
              ]}
            />
          </Card>
          <Loaded query={registrations}>{([newest]) => (newest ? <Definition registration={newest} /> : null)}</Loaded>
        </div>
      </div>
      {open === 'run' && <RunDialog workflow={workflow} onClose={close} />}
      {open === 'edit' && <EditWorkflowDialog workflow={workflow} onClose={close} />}
      {open === 'schedule' && <ScheduleDialog workflow={workflow} onClose={close} />}
    </Page>
  );
}

function deploymentsOf(registrations: readonly Registration[] = []): string {
  return [...new Set(registrations.map(({ deployment_name }) => deployment_name).filter(Boolean))].join(', ') || '–';
}

function Metrics({ name }: { name: string }) {
  const { data } = useQuery(metricsQuery(name));
  const figures = data
    ? [
        ['Executions', formatNumber(data.execution_count.value)],
        ['Completed', formatNumber(data.success_count.value)],
        ['Failed', formatNumber(data.error_count.value)],
        ['Average duration', data.success_count.value > 0 ? formatDuration(data.average_latency_ms.value) : '–'],
        ['Retries', `${(data.retry_rate.value * 100).toFixed(1)}%`],
      ]
    : [];
  if (figures.length === 0) return null;
  return (
    <dl className={figureStyles.figures}>
      {figures.map(([label, value]) => (
        <div key={label} className={figureStyles.figure}>
          <dt className="small muted">{label}</dt>
          <dd className={figureStyles.value}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function RecentExecutions({ name }: { name: string }) {
  const query = useQuery(executionsQuery({ workflow: name }, undefined, RECENT));
  return (
    <Card
      flush
      title="Recent executions"
      actions={
        <Link to="/workflows/executions" search={{ workflow: name }} className={buttonClass({ small: true })}>
          All executions
        </Link>
      }
    >
      <Loaded query={query} padded>
        {({ executions }) =>
          executions.length === 0 ? (
            <EmptyState icon="flow" title="No executions yet">
              Run the workflow to see its executions here.
            </EmptyState>
          ) : (
            <ExecutionTable caption="Recent executions" executions={executions} />
          )
        }
      </Loaded>
    </Card>
  );
}

function Definition({ registration: { definition } }: { registration: Registration }) {
  const messages = [
    ...(definition.signals ?? []).map((signal) => ({ ...signal, kind: 'Signal' })),
    ...(definition.queries ?? []).map((query) => ({ ...query, kind: 'Query' })),
    ...(definition.updates ?? []).map((update) => ({ ...update, kind: 'Update' })),
  ].filter(({ name }) => !name.startsWith('__'));
  return (
    <Card title="Definition">
      {messages.length > 0 && (
        <ul className="stack-tight">
          {messages.map(({ kind, name, description }) => (
            <li key={`${kind} ${name}`} className="row">
              <Badge tone="violet">{kind}</Badge>
              <code className="breakable">{name}</code>
              {description && <span className="muted">{description}</span>}
            </li>
          ))}
        </ul>
      )}
      <CodeBlock title="Input schema" code={JSON.stringify(definition.input_schema, null, 2)} />
      {definition.output_schema && (
        <CodeBlock title="Output schema" code={JSON.stringify(definition.output_schema, null, 2)} />
      )}
    </Card>
  );
}
