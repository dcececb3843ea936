import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import { numberedPage, offsetOf, type Scope } from '../../kit/http/index.ts';
import { evaluationErrors } from '../errors.ts';
import { type Plan, planRun } from '../plan-run.ts';
import type { EvaluationPorts } from '../ports.ts';
import { recordChange } from '../record-change.ts';
import type { PageQuery } from '../schema/common.ts';
import type {
  CreateOptimizationRequest,
  Objective,
  Optimization,
  OptimizationDetail,
  OptimizationsQuery,
  Trial,
} from '../schema/optimizations.ts';
import type { Run } from '../schema/runs.ts';
import {
  findOptimization,
  insertOptimization,
  insertTrial,
  listOptimizations,
  listTrials,
} from '../store/optimizations.ts';
import { findEvaluation, findReferences } from '../store/projects.ts';
import { listRunsOfTrials } from '../store/runs.ts';
import type { OptimizationRow } from '../store/tables.ts';
import type { RunService } from './runs.ts';

type Page<T> = ReturnType<typeof numberedPage<T>>;

export type OptimizationService = {
  create(scope: Scope, request: CreateOptimizationRequest): Promise<OptimizationDetail>;
  list(scope: Scope, query: OptimizationsQuery): Promise<Page<Optimization>>;
  get(scope: Scope, id: string): Promise<OptimizationDetail>;
  listTrials(scope: Scope, id: string, query: PageQuery): Promise<Page<Trial>>;
};

const PATH = '/v1/observability/optimizations';
const RUNNING = new Set(['queued', 'running', 'stopping']);

/** `grid` tries every candidate once: a trial and a run for each, of which the best by the objective wins. */
export function createOptimizationService(ports: EvaluationPorts, runs: RunService): OptimizationService {
  const { database, audit, now } = ports;
  const { db } = database;

  async function find({ workspace_id }: Scope, id: string): Promise<OptimizationRow> {
    const row = await findOptimization(db, workspace_id, id);
    if (!row) throw evaluationErrors.optimization_not_found(id);
    return row;
  }

  async function trialsOf(rows: OptimizationRow[]): Promise<Trial[]> {
    const trials = await listTrials(
      db,
      rows.map(({ id }) => id),
    );
    const found = await listRunsOfTrials(
      db,
      trials.map(({ id }) => id),
    );
    const shown = await runs.render(found);
    return trials.map(({ id, optimization_id, trial_key, metadata, created_at, updated_at }) => {
      const objective = rows.find((row) => row.id === optimization_id)?.objective_spec as Objective;
      const own = shown.filter((_, i) => found[i]?.trial_id === id);
      return {
        ...{ id, created_at, updated_at, deleted_at: null, optimization_id, algorithm_trial_key: trial_key },
        status: own[0]?.status ?? 'failed',
        metadata_: metadata,
        ...{ parent_trial_id: null, hypothesis: null, resolution: null },
        observations: own.map((run) => ({
          run,
          observation_type: 'run',
          score: scoreOf(run, objective),
          metadata: {},
        })),
      };
    });
  }

  async function render(rows: OptimizationRow[]): Promise<Optimization[]> {
    const trials = await trialsOf(rows);
    return rows.map((row) => {
      const own = trials.filter(({ optimization_id }) => optimization_id === row.id);
      const isRunning = own.some(({ status }) => RUNNING.has(status));
      const { id, created_at, updated_at, creator_id, project_id, evaluation_id, name, algorithm, tags } = row;
      return {
        ...{
          id,
          created_at,
          updated_at,
          deleted_at: null,
          creator_id,
          project_id,
          name,
          algorithm,
          evaluation_id,
          tags,
        },
        status: isRunning ? 'running' : 'completed',
        source: 'api',
        ...{ description: row.description, steer: row.steer, workflow_execution_id: null, workflow_run_id: null },
        objective_spec: { ...row.objective_spec },
        outcome: isRunning ? null : outcomeOf(own, row.objective_spec),
      };
    });
  }

  async function detail(row: OptimizationRow): Promise<OptimizationDetail> {
    const [shown] = await render([row]);
    const { evaluation = null, project = null } =
      (await findReferences(db, [row.evaluation_id])).get(row.evaluation_id) ?? {};
    return { ...(shown as Optimization), evaluation, project };
  }

  return {
    async create(scope, request) {
      const evaluation = await findEvaluation(db, scope.workspace_id, request.evaluation);
      if (!evaluation) throw evaluationErrors.evaluation_not_found(request.evaluation);
      const { name, description = null, steer = null, tags, algorithm, objective, candidates, ...plan } = request;
      const plans: Plan[] = [];
      for (const system of candidates) plans.push(await planRun(ports, scope, { ...plan, system }));
      if (!plans[0]?.evaluators.some((one) => one.name === objective.evaluator_name))
        throw evaluationErrors.evaluation_plan_invalid(
          ['body', 'objective', 'evaluator_name'],
          'No evaluator has this name.',
          objective.evaluator_name,
        );
      const at = isoMicros(now);
      const row: OptimizationRow = {
        ...{ id: uuidv7(now()), workspace_id: scope.workspace_id, creator_id: scope.user_id },
        ...{ project_id: evaluation.project_id, evaluation_id: evaluation.id, name, algorithm, status: 'running' },
        ...{ description, steer, tags, objective_spec: objective, outcome: null, created_at: at, updated_at: at },
      };
      await database.transaction(async (tx) => {
        await insertOptimization(tx, row);
        for (const [i, one] of plans.entries()) {
          const trial = { id: uuidv7(now()), optimization_id: row.id, trial_key: String(i + 1).padStart(3, '0') };
          await insertTrial(tx, { ...trial, metadata: { system: one.system.name }, created_at: at, updated_at: at });
          const own = {
            description: null,
            tags,
            metadata: {},
            numGenerations: plan.num_generations,
            trialId: trial.id,
          };
          await runs.insert(
            tx,
            scope,
            runs.newRow(scope, evaluation, one, { ...own, name: `${name}: ${one.system.name}` }),
          );
        }
        await recordChange(audit, tx, scope, 'evaluation.run.create', 'EVALUATION', evaluation.id);
      });
      return detail(row);
    },
    async list({ workspace_id }, query) {
      const { rows, count } = await listOptimizations(database, workspace_id, query, offsetOf(query));
      return numberedPage(PATH, query, await render(rows), count);
    },
    get: async (scope, id) => detail(await find(scope, id)),
    async listTrials(scope, id, query) {
      const { limit, offset } = offsetOf(query);
      const trials = await trialsOf([await find(scope, id)]);
      return numberedPage(`${PATH}/${id}/trials`, query, trials.slice(offset, offset + limit), trials.length);
    },
  };
}

function scoreOf({ statistics }: Run, { evaluator_name, metric, label }: Objective): number | null {
  const found = statistics[evaluator_name];
  if (!found) return null;
  if (found.type === 'categorical') return found.count > 0 ? (found.frequencies[label ?? ''] ?? 0) / found.count : null;
  return metric === 'rate' ? found.avg : found[metric];
}

function outcomeOf(trials: Trial[], { evaluator_name }: Objective): Record<string, unknown> | null {
  const scored = trials.flatMap(({ id, metadata_, observations }) =>
    observations.flatMap(({ run, score }) => {
      const isLess = run.evaluators.find(({ name }) => name === evaluator_name)?.direction === 'minimize';
      return score === null ? [] : [{ trial_id: id, run_id: run.id, system: metadata_.system, score, isLess }];
    }),
  );
  const [best] = scored.sort((a, b) => (a.isLess ? a.score - b.score : b.score - a.score));
  return best
    ? { best_trial_id: best.trial_id, best_run_id: best.run_id, system: best.system, score: best.score }
    : null;
}
