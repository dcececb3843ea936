import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { formatDuration, formatMoment } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ExecutionActions } from './execution-actions.tsx';
import { ExecutionLogs } from './execution-logs.tsx';
import { Messages } from './messages.tsx';
import { PendingInputs } from './pending-inputs.tsx';
import { type Execution, executionQuery } from './queries.ts';
import { StatusBadge } from './status-badge.tsx';
import { isRunning } from './statuses.ts';
import { EventList } from './timeline/event-list.tsx';
import { RowDetails } from './timeline/row-details.tsx';
import type { Row } from './timeline/rows.ts';
import timelineStyles from './timeline/timeline.module.css';
import { TimelineView } from './timeline/timeline-view.tsx';
import { useNow } from './timeline/use-now.ts';
import { type FollowedTimeline, useTimeline } from './timeline/use-timeline.ts';
import styles from './workflows.module.css';

const route = getRouteApi('/shell/workflows/executions/$executionId');

export function ExecutionPage() {
  const { executionId } = route.useParams();
  const query = useQuery(executionQuery(executionId));
  if (query.data) return <ExecutionDetails key={executionId} execution={query.data} />;
  return (
    <Page title={executionId} crumbs={<Crumbs />}>
      {query.isError ? <ErrorState error={query.error} onRetry={() => void query.refetch()} /> : <Skeleton lines={8} />}
    </Page>
  );
}

function Crumbs({ workflow }: { workflow?: string }) {
  return (
    <>
      <Link to="/workflows">Workflows</Link> /{' '}
      {workflow ? (
        <Link to="/workflows/$name" params={{ name: workflow }}>
          {workflow}
        </Link>
      ) : (
        <Link to="/workflows/executions">Executions</Link>
      )}
    </>
  );
}

type Tab = 'timeline' | 'events' | 'messages' | 'data' | 'logs';

function ExecutionDetails({ execution }: { execution: Execution }) {
  const { execution_id: id, workflow_name } = execution;
  const followed = useTimeline(execution);
  const { timeline, error } = followed;
  const [tab, setTab] = useState<Tab>('timeline');
  const input = inputOf(followed);
  const failure = timeline.rows().findLast(({ depth, message }) => depth === 0 && message)?.message;
  const count = timeline.events.length;
  return (
    <Page
      wide
      title={workflow_name}
      crumbs={<Crumbs workflow={workflow_name} />}
      lead={<Summary execution={execution} />}
      actions={<ExecutionActions execution={execution} input={input} />}
    >
      {error !== undefined && (
        <Notice tone="warning">Connection lost; the data shown may be outdated. Reconnecting…</Notice>
      )}
      {failure && !isRunning(execution.status) && execution.status !== 'COMPLETED' && (
        <Notice tone={execution.status === 'FAILED' || execution.status === 'TIMED_OUT' ? 'danger' : 'warning'}>
          {failure}
        </Notice>
      )}
      <PendingInputs executionId={id} inputs={timeline.pendingInputs()} events={timeline.events} />
      <Tabs
        label="Execution sections"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'timeline', label: 'Timeline' },
          { value: 'events', label: `Events${count > 0 ? ` ${count.toLocaleString()}` : ''}` },
          { value: 'messages', label: 'Messages' },
          { value: 'data', label: 'Input and result' },
          { value: 'logs', label: 'Logs' },
        ]}
      >
        {tab === 'timeline' && <TimelinePart execution={execution} followed={followed} />}
        {tab === 'events' && (
          <Card flush>
            <EventList timeline={timeline} version={followed.version} />
          </Card>
        )}
        {tab === 'messages' && <Messages execution={execution} />}
        {tab === 'data' && <Data execution={execution} input={input} />}
        {tab === 'logs' && <ExecutionLogs execution={execution} />}
      </Tabs>
    </Page>
  );
}

function Summary({ execution }: { execution: Execution }) {
  const now = useNow(isRunning(execution.status), 1_000);
  const { status, start_time, end_time, parent_execution_id, search_keys } = execution;
  const took = (end_time ? Date.parse(end_time) : now) - Date.parse(start_time);
  const keys = Object.entries(search_keys ?? {}).filter(([key]) => !key.startsWith('internal.'));
  return (
    <div className={styles.summary} data-testid="summary">
      <StatusBadge status={status} />
      <span className="numbers">
        {formatMoment(start_time)} · {formatDuration(Math.max(0, took))}
      </span>
      {parent_execution_id && (
        <span className="breakable">
          child of{' '}
          <Link to="/workflows/executions/$executionId" params={{ executionId: parent_execution_id }}>
            {parent_execution_id}
          </Link>
        </span>
      )}
      {keys.map(([key, value]) => (
        <Link key={key} to="/workflows/executions" search={{ key: `${key}:${value}` }}>
          {key}: {value}
        </Link>
      ))}
      <span className="row">
        <code className="breakable">{execution.execution_id}</code>
        <CopyButton small iconOnly text={execution.execution_id} label="Copy execution ID" />
      </span>
    </div>
  );
}

function TimelinePart({ execution, followed }: { execution: Execution; followed: FollowedTimeline }) {
  const { timeline, version, isCaughtUp } = followed;
  const [selected, setSelected] = useState<Row>();
  const [, setFolds] = useState(0);
  const now = useNow(isRunning(execution.status));
  const onFold = useCallback(
    (row: Row) => {
      timeline.toggle(row.key);
      setFolds(timeline.version);
    },
    [timeline],
  );
  if (!isCaughtUp && timeline.events.length === 0)
    return (
      <Card>
        <Skeleton lines={6} label="Loading events" />
      </Card>
    );
  return (
    <div className={`${timelineStyles.part} ${selected ? timelineStyles.partSplit : ''}`}>
      <Card flush>
        <TimelineView
          timeline={timeline}
          version={Math.max(version, timeline.version)}
          nowMs={now}
          selected={selected?.key}
          onSelect={setSelected}
          onFold={onFold}
        />
      </Card>
      {selected && (
        <Card flush>
          <RowDetails
            row={selected}
            events={timeline.events}
            executionId={execution.execution_id}
            nowMs={now}
            onClose={() => setSelected(undefined)}
          />
        </Card>
      )}
    </div>
  );
}

/** The input, from the first event of the latest run. */
function inputOf({ timeline }: FollowedTimeline): unknown {
  const runId = timeline.latestRunId();
  const started = timeline.events.find(
    ({ event_type, workflow_run_id }) => event_type === 'WORKFLOW_EXECUTION_STARTED' && workflow_run_id === runId,
  );
  return started?.event_type === 'WORKFLOW_EXECUTION_STARTED' ? started.attributes.input.value : undefined;
}

function Data({ execution, input }: { execution: Execution; input: unknown }) {
  return (
    <div className="columns">
      <CodeBlock title="Input" code={input === undefined ? '–' : JSON.stringify(input, null, 2)} wrap />
      <CodeBlock
        title="Result"
        wrap
        code={
          execution.status === 'COMPLETED'
            ? JSON.stringify(execution.result ?? null, null, 2)
            : isRunning(execution.status)
              ? 'Not available yet'
              : 'None'
        }
      />
    </div>
  );
}
