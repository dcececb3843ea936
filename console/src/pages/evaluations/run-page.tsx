import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { datasetQuery } from '../../api/datasets.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { SelectField } from '../../ui/field.tsx';
import { formatMoment, formatNumber } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { PromoteDialog } from './promote-dialog.tsx';
import { evaluationsKey, infoOf, isActive, type Run, runPath, runQuery, runsQuery } from './queries.ts';
import { RunRecords } from './run-records.tsx';
import { RunProgress, RunStatus } from './run-status.tsx';
import { ScoresOf } from './score-bars.tsx';
import { formatCost } from './scores.ts';

const route = getRouteApi('/shell/evaluations/$runId');

export function RunPage() {
  const { runId } = route.useParams();
  const query = useQuery(runQuery(runId));
  return <Loaded query={query}>{(run) => <Shown key={run.id} run={run} />}</Loaded>;
}

function Shown({ run }: { run: Run }) {
  const { error, progress, cost, tokens } = infoOf(run);
  const [isPromoting, setPromoting] = useState(false);
  const params = run.system?.params ?? {};
  return (
    <Page
      title={run.name}
      lead={formatMoment(run.created_at)}
      crumbs={<Link to="/evaluations">Evaluations</Link>}
      actions={
        <>
          {params.prompt_id !== undefined && !isActive(run) && (
            <Button icon="branch" onClick={() => setPromoting(true)}>
              Promote version
            </Button>
          )}
          <Actions run={run} />
        </>
      }
    >
      {error && <Notice tone="danger">{error}</Notice>}
      <Card>
        <RunProgress run={run} />
        <Facts
          facts={[
            ['State', <RunStatus key="state" run={run} />],
            ['Answered by', run.system?.name],
            ...Object.entries(params)
              .filter(([name]) => name !== 'prompt_id' && name !== 'agent_id')
              .map(([name, value]) => [titleOf(name), String(value)] as const),
            [
              'Records',
              `${formatNumber(progress.completed)} of ${formatNumber(progress.total)} answered${
                progress.failed > 0 ? `, ${formatNumber(progress.failed)} failed` : ''
              }`,
            ],
            ['Cost', `${formatCost(cost.spent)} (estimated ${formatCost(cost.estimated)})`],
            ['Tokens', `${formatNumber(tokens.input)} in, ${formatNumber(tokens.output)} out`],
            ...(run.dataset_id ? [['Dataset', <DatasetLink key="dataset" id={run.dataset_id} />] as const] : []),
          ]}
        />
      </Card>
      <Card title="Scores">
        <ScoresOf run={run} />
      </Card>
      {!isActive(run) && <CompareWith run={run} />}
      <RunRecords run={run} />
      {isPromoting && (
        <PromoteDialog
          promptId={String(params.prompt_id)}
          version={Number(params.prompt_version)}
          onClose={() => setPromoting(false)}
        />
      )}
    </Page>
  );
}

const titleOf = (name: string): string => (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ');

/** Other runs of the same evaluation that have ended. */
function CompareWith({ run }: { run: Run }) {
  const navigate = useNavigate();
  const { data } = useQuery(runsQuery(1, run.evaluation_id));
  const others = (data?.results ?? []).filter((one) => one.id !== run.id && !isActive(one));
  if (others.length === 0) return null;
  return (
    <div className="row">
      <SelectField
        label="Compare with"
        value=""
        options={[
          { value: '', label: 'Choose a run' },
          ...others.map(({ id, name, created_at }) => ({ value: id, label: `${name}, ${formatMoment(created_at)}` })),
        ]}
        onChange={(baseline: string) => {
          if (baseline)
            void navigate({
              to: '/evaluations/$runId/comparison',
              params: { runId: run.id },
              search: { baseline },
            });
        }}
      />
    </div>
  );
}

function Actions({ run }: { run: Run }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const change = useMutation({
    mutationFn: ({ action, body }: { action: 'stop' | 'resume'; body?: object }) =>
      api.post<Run>(`${runPath(run.id)}/${action}`, body),
    onSuccess: () => client.invalidateQueries({ queryKey: evaluationsKey }),
    onError: toast.error,
  });
  const remove = useRemoval({
    title: () => `Delete ${run.name}?`,
    body: 'Its answers and scores are deleted.',
    action: 'Delete run',
    run: () => api.delete(runPath(run.id)),
    done: () => `${run.name} was deleted.`,
    leave: () => navigate({ to: '/evaluations' }),
    reload: evaluationsKey,
  });
  if (isActive(run))
    return (
      <Button
        icon="stop"
        busy={change.isPending || run.status === 'stopping'}
        onClick={() => change.mutate({ action: 'stop' })}
      >
        Stop
      </Button>
    );
  const { failed } = infoOf(run).progress;
  return (
    <>
      {run.status !== 'completed' && (
        <Button
          icon="play"
          busy={change.isPending}
          onClick={() => change.mutate({ action: 'resume', body: { retry_failed: false } })}
        >
          Resume
        </Button>
      )}
      {failed > 0 && (
        <Button
          icon="refresh"
          busy={change.isPending}
          onClick={() => change.mutate({ action: 'resume', body: { retry_failed: true } })}
        >
          Retry failed records
        </Button>
      )}
      <Button look="quiet" icon="trash" busy={remove.isPending} onClick={() => remove.ask()}>
        Delete
      </Button>
    </>
  );
}

/** One that was deleted since has only its address. */
function DatasetLink({ id }: { id: string }) {
  const { data } = useQuery(datasetQuery(id));
  return (
    <Link to="/datasets/$datasetId" params={{ datasetId: id }} className="breakable">
      {data?.name ?? 'Open dataset'}
    </Link>
  );
}
