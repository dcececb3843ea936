import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  WorkflowExecutionListResponse,
  WorkflowExecutionResponse,
} from '../../../../src/workflows/schema/executions.ts';
import type { WorkflowMetrics } from '../../../../src/workflows/schema/metrics.ts';
import type {
  ScheduleDefinitionOutput,
  WorkflowScheduleListResponse,
} from '../../../../src/workflows/schema/schedules.ts';
import type {
  WorkflowGetResponse,
  WorkflowListResponse,
  WorkflowRegistrationListResponse,
} from '../../../../src/workflows/schema/workflows.ts';
import { api } from '../../api/api.ts';
import { type ExecutionSearch, runsQuery } from './execution-search.ts';
import { isRunning } from './statuses.ts';
import type { HistoryEvent } from './timeline/read-timers.ts';

export type WorkflowSummary = WorkflowListResponse['workflows'][number];
export type Workflow = WorkflowGetResponse['workflow'];
export type Registration = WorkflowRegistrationListResponse['workflow_registrations'][number];
export type Execution = WorkflowExecutionResponse;
export type ExecutionSummary = WorkflowExecutionListResponse['executions'][number];
export type Schedule = ScheduleDefinitionOutput;

export const pageSize = 50;

/** Key prefix of all queries that a change of an execution invalidates. */
export const executionsKey = ['workflows', 'executions'] as const;
export const schedulesKey = ['workflows', 'schedules'] as const;
export const catalogueKey = ['workflows', 'catalogue'] as const;

export type WorkflowChoice = { show: 'current' | 'active' | 'archived'; search: string; cursor: string | undefined };

export const workflowsQuery = ({ show, search, cursor }: WorkflowChoice) =>
  queryOptions({
    queryKey: [...catalogueKey, 'list', show, search, cursor],
    queryFn: ({ signal }) =>
      api.get<WorkflowListResponse>('/v1/workflows', {
        signal,
        query: {
          archived: show === 'archived',
          deployment_status: show === 'active' ? 'active' : undefined,
          search,
          cursor,
          limit: pageSize,
        },
      }),
    placeholderData: keepPreviousData,
  });

export const workflowQuery = (name: string) =>
  queryOptions({
    queryKey: [...catalogueKey, 'one', name],
    queryFn: ({ signal }) => api.get<WorkflowGetResponse>(`/v1/workflows/${encodeURIComponent(name)}`, { signal }),
    select: ({ workflow }: WorkflowGetResponse) => workflow,
  });

/** Registered definitions, newest first; active ones have a connected worker. */
export const registrationsQuery = (workflowId: string, activeOnly: boolean) =>
  queryOptions({
    queryKey: [...catalogueKey, 'registrations', workflowId, activeOnly],
    queryFn: ({ signal }) =>
      api.get<WorkflowRegistrationListResponse>('/v1/workflows/registrations', {
        signal,
        query: { workflow_id: workflowId, active_only: activeOnly, limit: 20 },
      }),
    select: (answer: WorkflowRegistrationListResponse) => answer.workflow_registrations,
  });

export const metricsQuery = (name: string) =>
  queryOptions({
    queryKey: [...executionsKey, 'metrics', name],
    queryFn: ({ signal }) => api.get<WorkflowMetrics>(`/v1/workflows/${encodeURIComponent(name)}/metrics`, { signal }),
  });

export const executionsQuery = (search: ExecutionSearch, cursor: string | undefined, size = pageSize) =>
  queryOptions({
    queryKey: [...executionsKey, 'list', search, cursor, size],
    queryFn: ({ signal }) =>
      api.get<WorkflowExecutionListResponse>('/v1/workflows/runs', {
        signal,
        query: { ...runsQuery(search, Date.now()), page_size: size, next_page_token: cursor },
      }),
    placeholderData: keepPreviousData,
    // Keeps the list live.
    refetchInterval: 5_000,
  });

export const executionPath = (id: string) => `/v1/workflows/executions/${encodeURIComponent(id)}`;

export const executionQuery = (id: string) =>
  queryOptions({
    queryKey: [...executionsKey, 'one', id],
    queryFn: ({ signal }) => api.get<Execution>(executionPath(id), { signal, query: { include_search_keys: true } }),
    refetchInterval: ({ state }) => (isRunning(state.data?.status) ? 5_000 : false),
  });

/** Polled while the run is active; a long history is read once, because it cannot be read in parts. */
export const historyQuery = (runId: string, isLive: boolean) =>
  queryOptions({
    queryKey: [...executionsKey, 'history', runId, isLive],
    queryFn: ({ signal }) =>
      api.get<{ events: HistoryEvent[] }>(`/v1/workflows/runs/${encodeURIComponent(runId)}/history`, { signal }),
    select: ({ events }: { events: HistoryEvent[] }) => events,
    refetchInterval: ({ state }) => (isLive && (state.data?.events.length ?? 0) < 2_000 ? 3_000 : false),
    placeholderData: keepPreviousData,
  });

export type ScheduleChoice = { workflow?: string | undefined; search: string; cursor: string | undefined };

export const schedulesQuery = ({ workflow, search, cursor }: ScheduleChoice) =>
  queryOptions({
    queryKey: [...schedulesKey, 'list', workflow, search, cursor],
    queryFn: ({ signal }) =>
      api.get<WorkflowScheduleListResponse>('/v1/workflows/schedules', {
        signal,
        query: { workflow_name: workflow, search, page_size: pageSize, next_page_token: cursor },
      }),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });

export const schedulePath = (id: string) => `/v1/workflows/schedules/${encodeURIComponent(id)}`;

export const scheduleQuery = (id: string) =>
  queryOptions({
    queryKey: [...schedulesKey, 'one', id],
    queryFn: ({ signal }) => api.get<Schedule>(schedulePath(id), { signal }),
    refetchInterval: 10_000,
  });
