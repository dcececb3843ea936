import type { ExecutionStatus } from './statuses.ts';

/** Filters of the execution list, kept in the address so that a view can be bookmarked and shared. */
export type ExecutionSearch = {
  workflow?: string;
  status?: ExecutionStatus;
  /** Part of an ID or name. */
  search?: string;
  /** `key:value` of a search key. */
  key?: string;
  since?: '1h' | '24h' | '7d' | '30d';
  mine?: true;
  waiting?: true;
};

const SINCE_MS = { '1h': 3_600_000, '24h': 86_400_000, '7d': 7 * 86_400_000, '30d': 30 * 86_400_000 };
/** Set by the worker while an execution waits for input. */
const WAITS_FOR_INPUT = 'internal.execution.state:waiting_for_input';

export function readExecutionSearch(search: Record<string, unknown>): ExecutionSearch {
  const read: ExecutionSearch = {};
  for (const name of ['workflow', 'search', 'key'] as const)
    if (typeof search[name] === 'string' || typeof search[name] === 'number') read[name] = String(search[name]);
  if (typeof search.status === 'string') read.status = search.status as ExecutionStatus;
  if (typeof search.since === 'string' && search.since in SINCE_MS)
    read.since = search.since as NonNullable<ExecutionSearch['since']>;
  if (search.mine === true) read.mine = true;
  if (search.waiting === true) read.waiting = true;
  return read;
}

/** The filters as query parameters of the API. */
export function runsQuery({ workflow, status, search, key, since, mine, waiting }: ExecutionSearch, nowMs: number) {
  const keys = [...(key ? [key] : []), ...(waiting ? [WAITS_FOR_INPUT] : [])];
  return {
    workflow_identifier: workflow,
    // An execution terminated while waiting keeps the key, so only running ones count.
    status: status ?? (waiting ? ('RUNNING' as const) : undefined),
    search,
    search_key: keys,
    start_time_after: since && new Date(nowMs - SINCE_MS[since]).toISOString(),
    user_id: mine ? 'current' : undefined,
  };
}
