import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Table } from '../../ui/table.tsx';
import { AnswersDialog } from './answers-dialog.tsx';
import styles from './evaluations.module.css';
import { infoOf, pageSize, type Run, recordsQuery } from './queries.ts';
import { answerOf, questionOf, scoreTexts } from './record-texts.ts';

const route = getRouteApi('/shell/evaluations/$runId');
const SHOWN = [
  { value: 'all', label: 'All' },
  { value: 'missed', label: 'Goal missed' },
] as const;

export function RunRecords({ run }: { run: Run }) {
  const { show } = route.useSearch();
  const navigate = route.useNavigate();
  const [page, setPage] = useState(1);
  const [opened, setOpened] = useState<string>();
  const { completed, failed } = infoOf(run).progress;
  const query = useQuery(recordsQuery(run.id, page, show, completed + failed));
  const hasGoals = run.evaluators.some(({ goal }) => goal !== null);
  return (
    <Card
      title="Records"
      flush
      actions={
        hasGoals && (
          <Segments
            label="Show"
            options={SHOWN}
            value={show ?? 'all'}
            onChange={(chosen) => {
              setPage(1);
              void navigate({ search: chosen === 'missed' ? { show: chosen } : {}, replace: true });
            }}
          />
        )
      }
    >
      <Loaded query={query} padded>
        {({ results = [], count }) =>
          results.length === 0 ? (
            <EmptyState icon="list" title={show ? 'No record misses a goal' : 'No record yet'} />
          ) : (
            <>
              <Table
                caption="Records"
                rows={results}
                rowKey={({ id }) => id}
                columns={[
                  {
                    header: 'Question',
                    cell: (record) => (
                      <button
                        type="button"
                        className={`${styles.answerOpen} clip`}
                        onClick={() => setOpened(record.id)}
                      >
                        {questionOf(record) || 'No question'}
                      </button>
                    ),
                  },
                  {
                    header: 'Answer',
                    low: true,
                    cell: (record) => (
                      <div className={`${styles.answerCell} clip muted`}>{answerOf(record) || '–'}</div>
                    ),
                  },
                  {
                    header: 'Scores',
                    cell: (record) =>
                      record.output_record ? (
                        <ul className={styles.plain}>
                          {scoreTexts(record).map(({ evaluator, text }) => (
                            <li key={evaluator}>
                              <span className="muted">{evaluator}</span> {text}
                            </li>
                          ))}
                        </ul>
                      ) : (
                        <Badge>Waiting</Badge>
                      ),
                  },
                ]}
              />
              <Pager page={page} onPage={setPage} pageSize={pageSize} total={count} />
            </>
          )
        }
      </Loaded>
      {opened && (
        <AnswersDialog
          runs={[{ name: run.name, runId: run.id, recordId: opened }]}
          onClose={() => setOpened(undefined)}
        />
      )}
    </Card>
  );
}
