import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SelectField } from '../../ui/field.tsx';
import { formatMoment, formatNumber } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { AnswersDialog } from './answers-dialog.tsx';
import { ChangedRecords } from './changed-records.tsx';
import { DifferenceChart } from './difference-chart.tsx';
import styles from './evaluations.module.css';
import { PromoteDialog } from './promote-dialog.tsx';
import { comparisonQuery, type EvaluatorComparison, type Run, runQuery } from './queries.ts';
import { formatScore, labelsOf } from './scores.ts';

const route = getRouteApi('/shell/evaluations/$runId/comparison');

const VERDICTS: Readonly<Record<EvaluatorComparison['verdict'], { label: string; tone: Tone }>> = {
  better: { label: 'Better', tone: 'success' },
  worse: { label: 'Worse', tone: 'danger' },
  no_clear_difference: { label: 'No clear difference', tone: 'neutral' },
};

export function ComparisonPage() {
  const { runId } = route.useParams();
  const { baseline = '' } = route.useSearch();
  const run = useQuery(runQuery(runId));
  const other = useQuery({ ...runQuery(baseline), enabled: baseline !== '' });
  if (baseline === '')
    return (
      <Page title="Comparison of two runs" crumbs={<Link to="/evaluations">Evaluations</Link>}>
        <EmptyState icon="list" title="Nothing to compare with">
          Open a run and choose the other one under "Compare with".
        </EmptyState>
      </Page>
    );
  return (
    <Loaded query={run}>
      {(later) => <Loaded query={other}>{(earlier) => <Compared run={later} baseline={earlier} />}</Loaded>}
    </Loaded>
  );
}

function Compared({ run, baseline }: { run: Run; baseline: Run }) {
  const { label } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(comparisonQuery(run.id, baseline.id, label));
  const [opened, setOpened] = useState<{ recordId: string; baselineId: string }>();
  const [isPromoting, setPromoting] = useState(false);
  const params = run.system?.params ?? {};
  const labels = [
    ...new Set([run, baseline].flatMap(({ statistics }) => Object.values(statistics).flatMap((one) => labelsOf(one)))),
  ];
  const nameOf = (one: Run) => (run.name === baseline.name ? `${one.name}, ${formatMoment(one.created_at)}` : one.name);
  return (
    <Page
      title={`${nameOf(run)} against ${nameOf(baseline)}`}
      lead="Records that both runs have answered, in pairs. Intervals are at 95 % confidence."
      crumbs={
        <>
          <Link to="/evaluations">Evaluations</Link>
          <Link to="/evaluations/$runId" params={{ runId: run.id }}>
            {run.name}
          </Link>
        </>
      }
      actions={
        <>
          <Button
            icon="arrow"
            onClick={() =>
              void navigate({
                params: { runId: baseline.id },
                search: { baseline: run.id, ...(label ? { label } : {}) },
              })
            }
          >
            Swap
          </Button>
          {params.prompt_id !== undefined && (
            <Button look="primary" icon="branch" onClick={() => setPromoting(true)}>
              Promote version
            </Button>
          )}
        </>
      }
    >
      {labels.length > 0 && (
        <div className="row">
          <SelectField
            label="Answer that counts as good"
            value={label ?? ''}
            options={[{ value: '', label: 'As the judge says' }, ...labels.map((one) => ({ value: one, label: one }))]}
            onChange={(chosen: string) =>
              void navigate({ search: { baseline: baseline.id, ...(chosen ? { label: chosen } : {}) }, replace: true })
            }
          />
        </div>
      )}
      <Loaded query={query} lines={8}>
        {({ evaluators }) =>
          evaluators.length === 0 ? (
            <Card>
              <EmptyState icon="chart" title="Nothing to compare">
                These runs have no evaluator in common.
              </EmptyState>
            </Card>
          ) : (
            evaluators.map((one) => (
              <EvaluatorCard
                key={one.evaluator}
                compared={one}
                onOpen={(recordId, baselineId) => setOpened({ recordId, baselineId })}
              />
            ))
          )
        }
      </Loaded>
      {opened && (
        <AnswersDialog
          runs={[
            { name: nameOf(run), runId: run.id, recordId: opened.recordId },
            { name: nameOf(baseline), runId: baseline.id, recordId: opened.baselineId },
          ]}
          onClose={() => setOpened(undefined)}
        />
      )}
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

type CardProps = { compared: EvaluatorComparison; onOpen: (recordId: string, baselineId: string) => void };

function EvaluatorCard({ compared, onOpen }: CardProps) {
  const { evaluator, label, records, better, worse, same, average, baseline_average, p_value } = compared;
  const { label: verdict, tone } = VERDICTS[compared.verdict];
  const name = label === null ? evaluator : `${evaluator}: share of ${label}`;
  const of = { of: name, onOpen };
  return (
    <Card title={name} actions={<Badge tone={tone}>{verdict}</Badge>}>
      <p>
        {formatScore(baseline_average.value)} → <strong>{formatScore(average.value)}</strong> over{' '}
        {formatNumber(records)} records: {formatNumber(better)} better, {formatNumber(worse)} worse,{' '}
        {formatNumber(same)} the same.{' '}
        <span className="muted">{p_value < 0.001 ? 'p < 0.001' : `p = ${formatScore(p_value)}`}</span>
      </p>
      <DifferenceChart compared={compared} />
      <div className={styles.answers}>
        <ChangedRecords title="Got better" records={compared.records_better} total={better} {...of} />
        <ChangedRecords title="Got worse" records={compared.records_worse} total={worse} {...of} />
      </div>
    </Card>
  );
}
