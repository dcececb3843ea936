import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { RunComparison } from '../../../../src/evaluations/schema/comparisons.ts';
import type { Evaluation, Project } from '../../../../src/evaluations/schema/projects.ts';
import type {
  CreateRunRequest,
  Run,
  RunEstimate,
  RunRecord,
  RunWithRefs,
} from '../../../../src/evaluations/schema/runs.ts';
import type { Judge } from '../../../../src/judges/schema.ts';
import { api } from '../../api/api.ts';
import type { Registry } from '../../registry/queries.ts';

export type { Project, Run, RunRecord, RunWithRefs };
export type EvaluatorComparison = RunComparison['evaluators'][number];
/** What may be left out has its default. */
export type NewRun = Pick<CreateRunRequest, 'dataset_id' | 'system' | 'num_generations'> & {
  evaluators: Partial<CreateRunRequest['evaluators'][number]>[];
};

type RunInfo = {
  progress: { total: number; completed: number; failed: number; pending: number };
  cost: { spent: number; estimated: number };
  tokens: { input: number; output: number };
  started_at: string | null;
  completed_at: string | null;
  error: string | null;
};

type PageOf<T> = { results?: T[]; count: number };

export const evaluationsKey = ['evaluations'] as const;
export const pageSize = 25;
const CHOICES = 100;
const FOLLOW_MS = 1500;
const PATH = '/v1/observability';
export const prompts: Registry = { path: '/v2/prompts', noun: 'prompt' };

export const runPath = (id: string) => `${PATH}/evaluation-runs_v2/${encodeURIComponent(id)}`;
const evaluationPath = (slug: string) => `${PATH}/evaluations_v2/${encodeURIComponent(slug)}`;

export const infoOf = ({ run_info }: Pick<Run, 'run_info'>): RunInfo => run_info as RunInfo;
export const isActive = ({ status }: Pick<Run, 'status'>): boolean =>
  status === 'queued' || status === 'running' || status === 'stopping';

/** Read again while one of them runs. */
export const runsQuery = (page: number, evaluationId: string | undefined) =>
  queryOptions({
    queryKey: [...evaluationsKey, 'runs', page, evaluationId],
    queryFn: ({ signal }) =>
      api.post<{ runs: PageOf<RunWithRefs> }>(
        `${PATH}/evaluation-runs_v2/search`,
        evaluationId ? { evaluation_ids: [evaluationId] } : {},
        { signal, query: { page, page_size: pageSize } },
      ),
    select: ({ runs }: { runs: PageOf<RunWithRefs> }) => runs,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.runs.results?.some(isActive) ? FOLLOW_MS : false),
  });

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: [...evaluationsKey, 'run', id],
    queryFn: ({ signal }) => api.get<Run>(runPath(id), { signal }),
    refetchInterval: ({ state }) => (state.data && isActive(state.data) ? FOLLOW_MS : false),
  });

/** `done` makes the list new whenever a record was answered. */
export const recordsQuery = (runId: string, page: number, show: 'missed' | undefined, done: number) =>
  queryOptions({
    queryKey: [...evaluationsKey, 'run', runId, 'records', page, show, done],
    queryFn: ({ signal }) =>
      api.post<{ records: PageOf<RunRecord> }>(
        `${runPath(runId)}/records/search`,
        show === undefined ? {} : { goal_filters: { filters: [{ values: ['failed'] }] } },
        { signal, query: { page, page_size: pageSize } },
      ),
    select: ({ records }: { records: PageOf<RunRecord> }) => records,
    placeholderData: keepPreviousData,
  });

export const recordQuery = (runId: string, recordId: string) =>
  queryOptions({
    queryKey: [...evaluationsKey, 'run', runId, 'record', recordId],
    queryFn: ({ signal }) =>
      api.get<RunRecord>(`${runPath(runId)}/records/${encodeURIComponent(recordId)}`, { signal }),
  });

export const comparisonQuery = (runId: string, baseline: string, label: string | undefined) =>
  queryOptions({
    queryKey: [...evaluationsKey, 'comparison', runId, baseline, label],
    queryFn: ({ signal }) =>
      api.get<RunComparison>(`${runPath(runId)}/comparison`, { signal, query: { baseline, label, limit: 50 } }),
    retry: false,
  });

export const projectsQuery = queryOptions({
  queryKey: [...evaluationsKey, 'projects'],
  queryFn: ({ signal }) =>
    api.get<{ projects: PageOf<Project> }>(`${PATH}/projects`, { signal, query: { page_size: CHOICES } }),
  select: ({ projects }: { projects: PageOf<Project> }) => projects.results ?? [],
});

export const judgeChoicesQuery = queryOptions({
  queryKey: ['judges', 'choices'],
  queryFn: ({ signal }) =>
    api.get<{ judges: PageOf<Judge> }>(`${PATH}/judges`, { signal, query: { page_size: CHOICES } }),
  select: ({ judges }: { judges: PageOf<Judge> }) => judges.results ?? [],
});

type Named = { id: string; name: string; title?: string };

export const promptChoicesQuery = queryOptions({
  queryKey: [prompts.path, 'choices'],
  queryFn: ({ signal }) =>
    api.get<{ data?: Named[] }>(prompts.path, { signal, query: { pageSize: CHOICES, fields: 'id,name,title' } }),
  select: ({ data = [] }: { data?: Named[] }) => data,
});

export const agentChoicesQuery = queryOptions({
  queryKey: ['agents', 'choices'],
  queryFn: ({ signal }) => api.get<Named[]>('/v1/agents', { signal, query: { page_size: CHOICES } }),
});

export const estimateQuery = (slug: string | undefined, request: NewRun | undefined) =>
  queryOptions({
    queryKey: [...evaluationsKey, 'estimate', slug, request],
    queryFn: ({ signal }) => api.post<RunEstimate>(`${evaluationPath(slug ?? '')}/runs/estimate`, request, { signal }),
    enabled: slug !== undefined && request !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
  });

/** The project and the evaluation are made if they are new. */
export async function makeEvaluation(projects: readonly Project[], project: string, name: string): Promise<string> {
  const known = projects.find((one) => one.name === project);
  const { slug } = known ?? (await api.post<Project>(`${PATH}/projects`, { name: project }));
  const path = `${PATH}/projects/${encodeURIComponent(slug)}/evaluations_v2`;
  return (await api.post<Evaluation>(path, { name })).slug;
}

export const startRun = (slug: string, request: NewRun) => api.post<Run>(`${evaluationPath(slug)}/runs`, request);
