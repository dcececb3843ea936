import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import tableStyles from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './evaluations.module.css';
import { infoOf, isActive, pageSize, projectsQuery, type RunWithRefs, runsQuery } from './queries.ts';
import { RunDialog } from './run-dialog.tsx';
import { RunProgress, RunStatus } from './run-status.tsx';
import { ScoresByRun } from './score-bars.tsx';
import { formatCost, scoresOf } from './scores.ts';

const route = getRouteApi('/shell/evaluations');

export function EvaluationsPage() {
  const { evaluation } = route.useSearch();
  const navigate = route.useNavigate();
  const [isStarting, setStarting] = useState(false);
  const [page, setPage] = useState(1);
  const query = useQuery(runsQuery(page, evaluation));
  const { data: projects = [] } = useQuery(projectsQuery);
  const start = (
    <Button look="primary" icon="plus" onClick={() => setStarting(true)}>
      New run
    </Button>
  );
  return (
    <Page
      title="Evaluations"
      lead="A dataset is answered by a model, a prompt version or an agent, and judges score the answers."
      actions={start}
    >
      <div className="row">
        <SelectField
          label="Evaluation"
          value={evaluation ?? ''}
          options={[
            { value: '', label: 'All evaluations' },
            ...projects.flatMap(({ name: group, evaluations }) =>
              evaluations.map(({ id, name }) => ({ value: id, label: name, group })),
            ),
          ]}
          onChange={(chosen: string) => {
            setPage(1);
            void navigate({ search: chosen ? { evaluation: chosen } : {}, replace: true });
          }}
        />
      </div>
      <Loaded query={query}>
        {({ results = [], count }) => (
          <>
            {evaluation && results.some((run) => scoresOf(run).length > 0) && (
              <Card title="Scores">
                <ScoresByRun runs={results} />
              </Card>
            )}
            <Card flush>
              {results.length === 0 ? (
                <EmptyState icon="chart" title="No run yet" action={start}>
                  A run needs a dataset and a judge or a check. You know what it costs before it starts.
                </EmptyState>
              ) : (
                <>
                  <RunTable runs={results} />
                  <Pager page={page} onPage={setPage} pageSize={pageSize} total={count} />
                </>
              )}
            </Card>
          </>
        )}
      </Loaded>
      {isStarting && <RunDialog evaluationId={evaluation} onClose={() => setStarting(false)} />}
    </Page>
  );
}

function RunTable({ runs }: { runs: readonly RunWithRefs[] }) {
  return (
    <Table
      caption="Runs"
      rows={runs}
      rowKey={({ id }) => id}
      columns={[
        {
          header: 'Run',
          cell: ({ id, name, evaluation }) => (
            <div className="breakable">
              <Link to="/evaluations/$runId" params={{ runId: id }} className={tableStyles.link}>
                {name}
              </Link>
              {evaluation && <div className="muted">{evaluation.name}</div>}
            </div>
          ),
        },
        { header: 'State', cell: (run) => (isActive(run) ? <RunProgress run={run} /> : <RunStatus run={run} />) },
        {
          header: 'Scores',
          low: true,
          cell: (run) => (
            <ul className={styles.plain}>
              {scoresOf(run).map(({ evaluator, text }) => (
                <li key={evaluator}>
                  <span className="muted">{evaluator}</span> {text}
                </li>
              ))}
            </ul>
          ),
        },
        { header: 'Cost', kind: 'end', low: true, cell: (run) => formatCost(infoOf(run).cost.spent) },
        { header: 'Started', low: true, cell: ({ created_at }) => <Time value={created_at} /> },
      ]}
    />
  );
}
