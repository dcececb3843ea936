import type { Logger } from '../../../kit/base/log.ts';
import type { Database } from '../../../kit/db/index.ts';
import { type ExecutionStatus, hasEnded, OPEN_STATUSES } from '../../schema/statuses.ts';
import { type ListRuns, positionAt } from '../../store/list-runs.ts';
import type { Execution } from '../port/engine.ts';
import { listExecutions, toExecution } from '../port/executions.ts';
import type { Refresh } from './refresh.ts';
import type { RunStates } from './run-states.ts';
import { findByRun, listTemporalIds } from './store.ts';

/** Calls to Temporal at a time for one list. */
const AT_ONCE = 16;

/** Pages of rows that are looked through for one page of a list; then it is shorter than asked for. */
const PAGES_MAX = 20;

/**
 * Lists runs as reading each of them would show it. Only Temporal knows which open runs retry a failed turn or have just
 * ended, so a list that is narrowed by status looks through more rows than it shows.
 */
export function createListCurrent(options: { database: Database; states: RunStates; refresh: Refresh; log: Logger }) {
  const { database, states, refresh, log } = options;
  const { db } = database;

  async function readCurrent(workspaceId: string, listed: Execution): Promise<Execution> {
    const run = await findByRun(db, workspaceId, listed.runId);
    if (!run || run.temporalRunId === null || hasEnded(run.row.status)) return run ? toExecution(run.row) : listed;
    const { isOpen, isRetryingTurn } = await states.readRecent(run.row, run.temporalRunId);
    if (!isOpen) return toExecution((await refresh(run)).row);
    return isRetryingTurn ? { ...listed, status: 'RETRYING_AFTER_ERROR' } : listed;
  }

  /** As it is mirrored when Temporal cannot be reached; the others are then not asked for. */
  async function readAll(workspaceId: string, executions: Execution[]): Promise<Execution[]> {
    const open = executions.filter(({ status }) => !hasEnded(status));
    const onCluster = await listTemporalIds(
      db,
      open.map(({ runId }) => runId),
    );
    const waiting = open.filter(({ runId }) => onCluster.has(runId));
    const current = new Map<string, Execution>();
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift())
        try {
          current.set(next.runId, await readCurrent(workspaceId, next));
        } catch (error) {
          if (waiting.length > 0 || current.size === 0)
            log.warn({ err: error }, 'runs could not be read from Temporal');
          waiting.length = 0;
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return executions.map((execution) => current.get(execution.runId) ?? execution);
  }

  return async (workspaceId: string, filter: ListRuns): Promise<{ executions: Execution[]; next?: string }> => {
    const { statuses, limit } = filter;
    const found: Execution[] = [];
    let rest: { next?: string } = {};
    let wanted: ListRuns = { ...filter, ...widened(statuses) };
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const { executions, ...next } = await listExecutions(db, workspaceId, wanted);
      const current = await readAll(workspaceId, executions);
      found.push(...(statuses ? current.filter(({ status }) => statuses.includes(status)) : current));
      rest = next;
      if (next.next === undefined || found.length >= limit) break;
      wanted = { ...wanted, after: next.next };
    }
    const last = found[limit - 1];
    if (found.length <= limit || !last) return { executions: found, ...rest };
    return {
      executions: found.slice(0, limit),
      next: positionAt(filter.sortBy === 'start_time' ? last.startedAt : last.endedAt, last.runId),
    };
  };
}

/** The mirror knows open runs only as running. */
function widened(statuses: ExecutionStatus[] | undefined): { statuses?: ExecutionStatus[] } {
  if (!statuses?.some((status) => !hasEnded(status))) return {};
  return { statuses: [...new Set([...statuses, ...OPEN_STATUSES])] };
}
