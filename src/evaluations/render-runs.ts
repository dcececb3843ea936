import { hasPassed, toGoalResults } from './goals.ts';
import type { Evaluator, EvaluatorV2, Goal } from './schema/evaluators.ts';
import type { Run, RunRecord } from './schema/runs.ts';
import { type Statistics, toStatistics } from './statistics.ts';
import type { Tally } from './store/statistics.ts';
import type { GenerationRow, RecordRow, RunRow, ScoreRow } from './store/tables.ts';

type OptimizationRef = { optimization_id: string; name: string };

export function toRun(run: RunRow, statistics: Statistics, optimization: OptimizationRef | undefined): Run {
  const { id, created_at, updated_at, system } = run;
  const lasting = { created_at, updated_at, deleted_at: null };
  const evaluators = run.evaluators.map((one) => toEvaluator(one, run));
  const goal_results = toGoalResults(run.evaluators, statistics, 'run');
  return {
    id,
    ...lasting,
    creator_id: run.creator_id,
    evaluation_id: run.evaluation_id,
    name: run.name,
    description: run.description,
    tags: run.tags,
    metadata_: run.metadata,
    num_generations: run.num_generations,
    evaluators,
    run_info: infoOf(run),
    status: run.status,
    dataset_id: run.dataset_id,
    run_evaluators: [],
    system: {
      id: `${id}-system`,
      ...lasting,
      name: system.name,
      params: system.params,
      kind: system.kind,
      spec: { ...system.request },
    },
    statistics,
    goal_results,
    passed: run.status === 'completed' ? hasPassed(goal_results) : null,
    run_scores: {},
    optimization: optimization ?? null,
  };
}

function infoOf(run: RunRow): Record<string, unknown> {
  const done = run.completed_records + run.failed_records;
  return {
    progress: {
      total: run.total_records,
      completed: run.completed_records,
      failed: run.failed_records,
      pending: run.total_records - done,
    },
    cost: { spent: run.cost_micros / 1_000_000, estimated: run.estimated_cost_micros / 1_000_000 },
    tokens: { input: run.input_tokens, output: run.output_tokens },
    started_at: run.started_at,
    completed_at: run.completed_at,
    error: run.error,
  };
}

function toEvaluator(evaluator: Evaluator, { created_at, updated_at }: RunRow): EvaluatorV2 {
  const { id, name, description, num_scores, weight, direction, min_value, max_value } = evaluator;
  return {
    ...{ id, created_at, updated_at, deleted_at: null, name, description, tags: [], num_scores },
    goal: toGoal(evaluator.goal),
    aggregate_goal: toGoal(evaluator.aggregate_goal),
    statistics: null,
    ...{ weight, direction, min_value, max_value },
  };
}

function toGoal(goal: Goal | null) {
  if (!goal) return null;
  const { operator, value = null, min = null, max = null, values = null, metric = null } = goal;
  return { operator, value, min, max, values, metric };
}

export type RecordParts = {
  generations: GenerationRow[];
  scores: ScoreRow[];
  byRecord: Tally;
  byGeneration: Tally;
};

export function toRecords(rows: RecordRow[], evaluators: readonly Evaluator[], parts: RecordParts): RunRecord[] {
  const [ofRecord, ofGeneration] = [toStatistics(parts.byRecord), toStatistics(parts.byGeneration)];
  return rows.map((row) => {
    const { id, created_at, updated_at } = row;
    const lasting = { created_at, updated_at, deleted_at: null };
    const statistics = ofRecord(id);
    const info = JSON.parse(row.record_info) as { properties: Record<string, unknown> };
    const generations = parts.generations
      .filter(({ record_id }) => record_id === id)
      .map((one) => toGeneration(one, parts.scores, ofGeneration(one.id), evaluators));
    const output_record = {
      id: `${id}-output`,
      ...lasting,
      metadata_: {},
      record_info: { status: row.status, properties: info.properties },
      generations,
      statistics,
      goal_results: toGoalResults(evaluators, statistics, 'record'),
    };
    return {
      id,
      ...lasting,
      input: JSON.parse(row.input) as unknown,
      dataset_record_id: row.dataset_record_id,
      output_record: row.status === 'pending' ? null : output_record,
    };
  });
}

function toGeneration(
  row: GenerationRow,
  scores: ScoreRow[],
  statistics: Statistics,
  evaluators: readonly Evaluator[],
) {
  const own = scores.filter(({ generation_id }) => generation_id === row.id);
  return {
    id: row.id,
    ...lastingOf(row),
    output: row.output === null ? null : (JSON.parse(row.output) as unknown),
    metadata_: row.metadata,
    status: row.status,
    error: row.error,
    scores: Object.fromEntries(
      [...new Set(own.map(({ evaluator }) => evaluator))].map((name) => [
        name,
        own.filter(({ evaluator }) => evaluator === name).map(toScore),
      ]),
    ),
    statistics,
    goal_results: toGoalResults(evaluators, statistics, 'record'),
  };
}

const lastingOf = ({ created_at }: { created_at: string }) => ({
  created_at,
  updated_at: created_at,
  deleted_at: null,
});

function toScore(row: ScoreRow) {
  const { id, value, label, status, rationale, error } = row;
  return { id, ...lastingOf(row), value: value ?? label, metadata_: {}, status, rationale, error };
}
