import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { type Approval, approvalsQuery } from '../../api/approvals.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';

const KINDS: Record<Approval['kind'], string> = {
  workflow_input: 'Workflow',
  tool_confirmation: 'Tool call',
  connector_tool: 'Connector',
  skill_findings: 'Skill',
};

const FILTERS = [
  { value: 'all', label: 'All' },
  ...Object.entries(KINDS).map(([value, label]) => ({ value: value as Approval['kind'], label: `${label}s` })),
] as const;

/** Everything that waits for the user, in one list. */
export function ApprovalsPage() {
  const query = useQuery(approvalsQuery);
  const [kind, setKind] = useState<Approval['kind'] | 'all'>('all');
  return (
    <Page
      title="Approvals"
      lead="What waits for a decision of yours: questions of workflows, tool calls, changed tools and findings in skills."
      actions={
        <>
          <NotifyHere />
          <Link to="/notifications" className={buttonClass({ look: 'default' })}>
            Notify an address
          </Link>
        </>
      }
    >
      <div>
        <Segments label="Show" options={FILTERS} value={kind} onChange={setKind} />
      </div>
      <Card flush>
        <Loaded query={query} padded>
          {({ approvals, has_more }) => {
            const shown = approvals.filter((one) => kind === 'all' || one.kind === kind);
            if (shown.length === 0)
              return (
                <EmptyState icon="check" title="Nothing waits for you">
                  Steps of workflows and calls of tools that need a person appear here, and as notifications.
                </EmptyState>
              );
            return (
              <>
                {has_more && <Notice>Only the newest of each kind are listed.</Notice>}
                <ApprovalTable approvals={shown} />
              </>
            );
          }}
        </Loaded>
      </Card>
    </Page>
  );
}

/** Asks the browser once; from then on what begins to wait is told by the system while the console is in the background. */
function NotifyHere() {
  const [permission, setPermission] = useState(() => ('Notification' in window ? Notification.permission : 'denied'));
  if (permission !== 'default') return null;
  return <Button onClick={() => void Notification.requestPermission().then(setPermission)}>Notify me here</Button>;
}

function ApprovalTable({ approvals }: { approvals: readonly Approval[] }) {
  return (
    <Table
      caption="Approvals, newest first"
      rows={approvals}
      rowKey={({ kind, id, title, version }) => `${kind} ${id} ${version} ${title}`}
      columns={[
        { header: 'Kind', low: true, cell: ({ kind }) => <Badge tone="violet">{KINDS[kind]}</Badge> },
        {
          header: 'What',
          cell: (one) => (
            <div>
              <strong className="breakable">{one.title}</strong>
              <div className="small muted breakable">{one.detail}</div>
            </div>
          ),
        },
        { header: 'Since', low: true, cell: ({ since }) => <Time value={since} /> },
        { header: 'Actions', kind: 'actions', cell: (one) => <Decide approval={one} /> },
      ]}
    />
  );
}

function Decide({ approval }: { approval: Approval }) {
  const { kind, id } = approval;
  const look = { className: buttonClass({ small: true }) };
  if (kind === 'workflow_input')
    return (
      <Link to="/workflows/executions/$executionId" params={{ executionId: id }} {...look}>
        Respond
      </Link>
    );
  if (kind === 'tool_confirmation')
    return (
      <Link to="/conversations/$conversationId" params={{ conversationId: id }} {...look}>
        Allow or deny
      </Link>
    );
  if (kind === 'connector_tool')
    return (
      <Link to="/connectors/$connectorId" params={{ connectorId: id }} {...look}>
        Review
      </Link>
    );
  return (
    <span className="row">
      <Link to="/skills/$skillId" params={{ skillId: id }} {...look}>
        Review
      </Link>
      <Reviewed approval={approval} />
    </span>
  );
}

function Reviewed({ approval: { id, version } }: { approval: Approval }) {
  const client = useQueryClient();
  const toast = useToast();
  const close = useMutation({
    mutationFn: () => api.post(`/console/api/skills/${encodeURIComponent(id)}/versions/${version}/findings/reviewed`),
    onSuccess: () => client.invalidateQueries({ queryKey: approvalsQuery.queryKey }),
    onError: toast.error,
  });
  return (
    <Button small icon="check" busy={close.isPending} onClick={() => close.mutate()}>
      Done
    </Button>
  );
}
