import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { LogSearchResponse } from '../../../../src/workflows/schema/logs.ts';
import { api } from '../../api/api.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatMoment } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Pager } from '../../ui/pager.tsx';
import { usePages } from '../../ui/use-pages.ts';
import { type Execution, executionPath, executionsKey } from './queries.ts';
import { isRunning } from './statuses.ts';
import styles from './workflows.module.css';

const LINES = 100;
const tones: Record<string, Tone> = { WARN: 'warning', ERROR: 'danger', FATAL: 'danger', INFO: 'accent' };

/** Messages of `ctx.log` and `step.log`, newest first. */
export function ExecutionLogs({ execution }: { execution: Execution }) {
  const pages = usePages(execution.execution_id);
  const query = useQuery({
    queryKey: [...executionsKey, 'logs', execution.execution_id, pages.cursor],
    queryFn: ({ signal }) =>
      api.get<LogSearchResponse>(`${executionPath(execution.execution_id)}/logs`, {
        signal,
        query: { order: 'desc', limit: LINES, cursor: pages.cursor },
      }),
    placeholderData: keepPreviousData,
    refetchInterval: isRunning(execution.status) ? 3_000 : false,
  });
  return (
    <Card flush>
      <Loaded query={query} padded>
        {({ results, next_cursor }) =>
          results.length === 0 && pages.page === 1 ? (
            <EmptyState icon="list" title="No logs">
              Messages logged with ctx.log and step.log appear here.
            </EmptyState>
          ) : (
            <>
              <ol className={styles.logs}>
                {results.map(({ timestamp, severity_text, body, span_id }, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: lines have no ID, and a page is replaced as a whole.
                  <li key={`${timestamp} ${span_id} ${at}`} className={styles.log}>
                    <time className="muted numbers" dateTime={timestamp}>
                      {formatMoment(timestamp)}
                    </time>
                    <Badge tone={tones[severity_text] ?? 'neutral'}>{severity_text}</Badge>
                    <span className={`${styles.logBody} mono`}>{body}</span>
                  </li>
                ))}
              </ol>
              <Pager
                page={pages.page}
                pageSize={LINES}
                hasNext={Boolean(next_cursor)}
                onPage={(page) => pages.goTo(page, next_cursor)}
              />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
