import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { datasetsKey } from '../../api/datasets.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Progress } from '../../ui/progress.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { isRunning, pageSize, type Task, tasksQuery } from './queries.ts';

/** How far the running imports are; records appear while they run. */
export function RunningImports({ datasetId }: { datasetId: string }) {
  const client = useQueryClient();
  const { data } = useQuery(tasksQuery(datasetId, 1));
  const running = data?.results?.filter(isRunning) ?? [];
  const state = (data?.results ?? []).map(({ id, status, progress }) => `${id} ${status} ${progress}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: when an import moves, records are read again.
  useEffect(() => {
    void client.invalidateQueries({ queryKey: [...datasetsKey, 'one', datasetId, 'records'] });
  }, [client, datasetId, state]);
  if (running.length === 0) return null;
  return (
    <Card>
      {running.map(({ id, progress }) => (
        <Progress key={id} label="Importing" value={(progress ?? 0) / 100} />
      ))}
    </Card>
  );
}

const STATES: Readonly<Record<string, { label: string; tone: Tone }>> = {
  RUNNING: { label: 'Running', tone: 'accent' },
  COMPLETED: { label: 'Done', tone: 'success' },
  FAILED: { label: 'Failed', tone: 'danger' },
};

export function ImportTable({ datasetId }: { datasetId: string }) {
  const [page, setPage] = useState(1);
  const query = useQuery(tasksQuery(datasetId, page));
  return (
    <Card flush>
      <Loaded query={query} padded>
        {({ results = [], count }) =>
          results.length === 0 ? (
            <EmptyState icon="file" title="No import yet">
              Import a file with one JSON object a line, or add requests on their pages.
            </EmptyState>
          ) : (
            <>
              <Table
                caption="Imports"
                rows={results}
                rowKey={({ id }) => id}
                columns={[
                  { header: 'Started', cell: ({ created_at }) => <Time value={created_at} /> },
                  { header: 'State', cell: (task) => <StateOf task={task} /> },
                  { header: 'Imported', kind: 'end', cell: ({ result }) => countOf(result?.imported_record_count) },
                  { header: 'Skipped', kind: 'end', cell: ({ result }) => countOf(result?.skipped_record_count) },
                  { header: 'Note', low: true, cell: ({ message }) => <span className="breakable">{message}</span> },
                ]}
              />
              <Pager page={page} onPage={setPage} pageSize={pageSize} total={count} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function StateOf({ task: { status } }: { task: Task }) {
  const { label, tone } = STATES[status] ?? { label: status, tone: 'neutral' };
  return (
    <Badge tone={tone} dot>
      {label}
    </Badge>
  );
}

const countOf = (count: number | undefined): string => (count === undefined ? '–' : formatNumber(count));
