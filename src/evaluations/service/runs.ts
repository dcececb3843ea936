import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import type { Tx } from '../../kit/db/index.ts';
import { numberedPage, offsetOf, type Scope } from '../../kit/http/index.ts';
import { holderOf } from '../../tenants/index.ts';
import { summarize } from '../compare-runs.ts';
import { evaluationErrors } from '../errors.ts';
import { hasPassed, toGoalResults } from '../goals.ts';
import { type Plan, planRun } from '../plan-run.ts';
import type { EvaluationPorts } from '../ports.ts';
import { recordChange } from '../record-change.ts';
import { toRecords, toRun } from '../render-runs.ts';
import { enqueueRun } from '../run/enqueue-run.ts';
import { hasEnded } from '../run/run-runner.ts';
import type { PageQuery } from '../schema/common.ts';
import type { ComparisonQuery, RunComparison } from '../schema/comparisons.ts';
import type { Evaluator } from '../schema/evaluators.ts';
import type { RecordFilter, RunFilter } from '../schema/filters.ts';
import type { RunStatisticsResponse } from '../schema/results.ts';
import type { CreateRunRequest, ResumeRunRequest, Run, RunEstimate, RunRecord, RunWithRefs } from '../schema/runs.ts';
import { toStatistics } from '../statistics.ts';
import { comparePairs, listChanged } from '../store/comparisons.ts';
import { findEvaluation, findReferences } from '../store/projects.ts';
import { findRecord, listGenerations, listScores, resetFailed, searchRecords } from '../store/records.ts';
import {
  deleteRun,
  findOptimizationNames,
  findRun,
  insertRun,
  listQueued,
  moveRun,
  searchRuns,
} from '../store/runs.ts';
import { tallyMatching, tallyRecords, tallyRuns } from '../store/statistics.ts';
import type { EvaluationRow, RecordRow, RunRow } from '../store/tables.ts';

type Page<T> = ReturnType<typeof numberedPage<T>>;
type Filter<F> = F | null | undefined;

export type RunService = {
  estimate(scope: Scope, slug: string, request: CreateRunRequest): Promise<RunEstimate>;
  create(scope: Scope, slug: string, request: CreateRunRequest): Promise<Run>;
  stop(scope: Scope, id: string): Promise<Run>;
  resume(scope: Scope, id: string, request: ResumeRunRequest): Promise<Run>;
  remove(scope: Scope, id: string): Promise<void>;
  get(scope: Scope, id: string): Promise<Run>;
  search(scope: Scope, slug: string, query: PageQuery, filter: Filter<RunFilter>): Promise<Page<Run>>;
  searchAll(scope: Scope, query: PageQuery, filter: Filter<RunFilter>): Promise<Page<RunWithRefs>>;
  statistics(scope: Scope, id: string, filter?: Filter<RecordFilter>): Promise<RunStatisticsResponse>;
  getRecord(scope: Scope, id: string, recordId: string): Promise<RunRecord>;
  searchRecords(scope: Scope, id: string, query: PageQuery, filter: Filter<RecordFilter>): Promise<Page<RunRecord>>;
  compare(scope: Scope, id: string, query: ComparisonQuery): Promise<RunComparison>;
  /** For optimizations: the row of a run, and its insertion with its task. */
  newRow(scope: Scope, evaluation: EvaluationRow, plan: Plan, request: NewRun): RunRow;
  insert(tx: Tx, scope: Scope, row: RunRow): Promise<void>;
  render(rows: RunRow[]): Promise<Run[]>;
};

export type NewRun = {
  name: string;
  description: string | null;
  tags: string[];
  metadata: Record<string, unknown>;
  numGenerations: number;
  trialId: string | null;
};

const PATH = '/v1/observability/evaluation-runs_v2';
const LOOKED_AT_ONCE = 500;

export function createRunService(ports: EvaluationPorts): RunService {
  const { database, audit, tasks, authority, now } = ports;
  const { db, kind } = database;

  /** Runs that wait for their turn end too when whoever started them may not run them any more. */
  authority.onChange(async () => {
    for (let last = ''; ; ) {
      const waiting = await listQueued(db, last, LOOKED_AT_ONCE);
      for (const { id, holder } of waiting) {
        const lost = await authority.refusalOf(holder, 'evaluations:write');
        const at = isoMicros(now);
        const ended = { status: 'failed', error: lost?.message ?? '', completed_at: at, updated_at: at } as const;
        if (lost) await database.transaction((tx) => moveRun(tx, id, ['queued'], ended));
      }
      last = waiting.at(-1)?.id ?? '';
      if (waiting.length < LOOKED_AT_ONCE) return;
    }
  });

  async function find({ workspace_id }: Scope, id: string): Promise<RunRow> {
    const run = await findRun(db, workspace_id, id);
    if (!run) throw evaluationErrors.evaluation_run_not_found(id);
    return run;
  }

  async function findOne({ workspace_id }: Scope, slug: string): Promise<EvaluationRow> {
    const row = await findEvaluation(db, workspace_id, slug);
    if (!row) throw evaluationErrors.evaluation_not_found(slug);
    return row;
  }

  async function render(rows: RunRow[]): Promise<Run[]> {
    const statistics = toStatistics(
      await tallyRuns(
        db,
        rows.map(({ id }) => id),
      ),
    );
    const names = await findOptimizationNames(
      db,
      rows.flatMap(({ trial_id }) => trial_id ?? []),
    );
    return rows.map((row) => toRun(row, statistics(row.id), names.get(row.trial_id ?? '')));
  }
  const renderOne = async (row: RunRow): Promise<Run> => (await render([row]))[0] as Run;

  async function renderRecords(rows: RecordRow[], evaluators: readonly Evaluator[]): Promise<RunRecord[]> {
    const ids = rows.map(({ id }) => id);
    return toRecords(rows, evaluators, {
      generations: await listGenerations(db, ids),
      scores: await listScores(db, ids),
      byRecord: await tallyRecords(db, ids, 'record_id'),
      byGeneration: await tallyRecords(db, ids, 'generation_id'),
    });
  }

  function newRow(scope: Scope, evaluation: EvaluationRow, plan: Plan, request: NewRun): RunRow {
    const { workspace_id, organization_id, user_id } = scope;
    const created_at = isoMicros(now);
    const counts = { completed_records: 0, failed_records: 0, input_tokens: 0, output_tokens: 0, cost_micros: 0 };
    const { name, description, tags, metadata, trialId } = request;
    return {
      id: uuidv7(now()),
      ...{ workspace_id, organization_id, evaluation_id: evaluation.id, creator_id: user_id },
      holder: holderOf(scope),
      ...{ name, description, tags, metadata },
      status: 'queued',
      dataset_id: plan.datasetId,
      num_generations: request.numGenerations,
      evaluators: plan.evaluators,
      system: plan.system,
      total_records: 0,
      ...counts,
      estimated_cost_micros: plan.costMicros,
      ...{ goal_results: null, passed: null, error: null, copied_after: null, is_copied: false, trial_id: trialId },
      ...{ created_at, updated_at: created_at, started_at: null, completed_at: null },
    };
  }

  async function insert(tx: Tx, scope: Scope, row: RunRow): Promise<void> {
    await insertRun(tx, row);
    await enqueueRun(tasks, tx, row);
    await recordChange(audit, tx, scope, 'evaluation.run.create', 'EVALUATION_RUN', row.id);
  }

  return {
    newRow,
    insert,
    render,
    async estimate(scope, slug, request) {
      await findOne(scope, slug);
      return (await planRun(ports, scope, request)).estimate;
    },
    async create(scope, slug, request) {
      const evaluation = await findOne(scope, slug);
      const plan = await planRun(ports, scope, request);
      const { name = plan.system.name, description = null, tags, metadata } = request;
      const own = { name, description, tags, metadata, numGenerations: request.num_generations, trialId: null };
      const row = newRow(scope, evaluation, plan, own);
      await database.transaction((tx) => insert(tx, scope, row));
      return renderOne(row);
    },
    async stop(scope, id) {
      const run = await find(scope, id);
      const at = isoMicros(now);
      const stopped = await database.transaction(async (tx) => {
        const moved =
          (await moveRun(tx, run.id, ['queued'], { status: 'stopped', completed_at: at, updated_at: at })) ??
          (await moveRun(tx, run.id, ['running', 'stopping'], { status: 'stopping', updated_at: at }));
        // One that was quarantined runs again, to find that it is to end.
        if (moved?.status === 'stopping') await enqueueRun(tasks, tx, moved);
        if (moved) await recordChange(audit, tx, scope, 'evaluation.run.stop', 'EVALUATION_RUN', run.id);
        return moved;
      });
      if (!stopped) throw evaluationErrors.run_has_ended();
      return renderOne(stopped);
    },
    async resume(scope, id, { retry_failed }) {
      const run = await find(scope, id);
      if (!hasEnded(run)) throw evaluationErrors.run_not_ended();
      const at = isoMicros(now);
      const resumed = await database.transaction(async (tx) => {
        const again = retry_failed ? await resetFailed(tx, run.id, at) : 0;
        if (run.status === 'completed' && again === 0) throw evaluationErrors.run_has_ended();
        const change = { status: 'queued', error: null, completed_at: null, passed: null, updated_at: at } as const;
        const moved = await moveRun(tx, run.id, ['stopped', 'failed', 'completed'], change);
        if (!moved) throw evaluationErrors.run_not_ended();
        await enqueueRun(tasks, tx, moved);
        await recordChange(audit, tx, scope, 'evaluation.run.resume', 'EVALUATION_RUN', run.id);
        return moved;
      });
      return renderOne(resumed);
    },
    async remove(scope, id) {
      const run = await find(scope, id);
      if (!hasEnded(run)) throw evaluationErrors.run_not_ended();
      await database.transaction(async (tx) => {
        await deleteRun(tx, run.id);
        await recordChange(audit, tx, scope, 'evaluation.run.delete', 'EVALUATION_RUN', run.id);
      });
    },
    get: async (scope, id) => renderOne(await find(scope, id)),
    async search(scope, slug, query, filter) {
      const evaluation = await findOne(scope, slug);
      const search = { workspaceId: scope.workspace_id, evaluationId: evaluation.id, filter, ...offsetOf(query) };
      const { rows, count } = await searchRuns(db, kind, search);
      return numberedPage(`/v1/observability/evaluations_v2/${slug}/runs/search`, query, await render(rows), count);
    },
    async searchAll(scope, query, filter) {
      const search = { workspaceId: scope.workspace_id, filter, ...offsetOf(query) };
      const { rows, count } = await searchRuns(db, kind, search);
      const references = await findReferences(
        db,
        rows.map(({ evaluation_id }) => evaluation_id),
      );
      const runs = (await render(rows)).map((run) => {
        const { evaluation = null, project = null } = references.get(run.evaluation_id) ?? {};
        return { ...run, evaluation, project };
      });
      return numberedPage(`${PATH}/search`, query, runs, count);
    },
    async statistics(scope, id, filter) {
      const run = await find(scope, id);
      const tally = await tallyMatching(database, run.id, filter, run.evaluators);
      const statistics = toStatistics(tally)(run.id);
      const goal_results = toGoalResults(run.evaluators, statistics, 'run');
      return { run_id: run.id, statistics, goal_results, passed: hasPassed(goal_results) };
    },
    async getRecord(scope, id, recordId) {
      const run = await find(scope, id);
      const record = await findRecord(db, run.id, recordId);
      if (!record) throw evaluationErrors.evaluation_record_not_found(recordId);
      return (await renderRecords([record], run.evaluators))[0] as RunRecord;
    },
    async searchRecords(scope, id, query, filter) {
      const run = await find(scope, id);
      const { rows, count } = await searchRecords(database, run.id, filter, run.evaluators, offsetOf(query));
      const records = await renderRecords(rows, run.evaluators);
      return numberedPage(`${PATH}/${run.id}/records/search`, query, records, count);
    },
    async compare(scope, id, { baseline, label, limit }) {
      const [run, other] = [await find(scope, id), await find(scope, baseline)];
      if (!hasEnded(run) || !hasEnded(other)) throw evaluationErrors.run_not_ended();
      const shared = run.evaluators.filter(({ name }) => other.evaluators.some((one) => one.name === name));
      const evaluators: RunComparison['evaluators'] = [];
      for (const evaluator of shared) {
        const counted = labelOf(evaluator, label);
        const pairing = { runId: run.id, baselineId: other.id, evaluator: evaluator.name, label: counted };
        const sign = evaluator.direction === 'minimize' ? -1 : 1;
        evaluators.push({
          evaluator: evaluator.name,
          label: counted,
          ...summarize(await comparePairs(db, pairing, sign), counted !== null, sign),
          records_better: await listChanged(db, pairing, sign, limit),
          records_worse: await listChanged(db, pairing, sign === 1 ? -1 : 1, limit),
        });
      }
      return { run_id: run.id, baseline_id: other.id, evaluators };
    },
  };
}

/** Labels are compared by how often the good one was given: as asked, as the goal says, or the judge's first option. */
function labelOf({ judge, goal, aggregate_goal }: Evaluator, asked: string | undefined): string | null {
  if (judge?.output.type !== 'CLASSIFICATION') return null;
  const wanted = aggregate_goal ?? goal;
  const named = wanted?.values?.[0] ?? (typeof wanted?.value === 'string' ? wanted.value : undefined);
  return asked ?? named ?? judge.output.options[0]?.value ?? null;
}
