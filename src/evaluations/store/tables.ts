import type { ColumnType, Selectable } from 'kysely';
import type { Tables } from '../../kit/db/index.ts';
import type { Holder } from '../../tenants/index.ts';
import type { Evaluator } from '../schema/evaluators.ts';
import type { Objective } from '../schema/optimizations.ts';
import type { Definition, PipelineKind, Sampling, Selector } from '../schema/pipelines.ts';
import type { GoalResults } from '../schema/results.ts';
import type { RunStatus } from '../schema/runs.ts';
import type { System } from '../schema/systems.ts';

type Json<T> = ColumnType<T, string, string>;
type JsonOrNull<T> = ColumnType<T | null, string | null, string | null>;
type Times = { created_at: string; updated_at: string };
type Named = Times & {
  id: string;
  workspace_id: string;
  creator_id: string;
  name: string;
  slug: string;
  description: string | null;
};

declare module '../../kit/db/tables.ts' {
  interface Tables {
    evaluation_projects: Named;
    evaluations: Named & { project_id: string; tags: Json<string[]>; metadata: Json<Record<string, unknown>> };
    evaluation_runs: Times & {
      id: string;
      workspace_id: string;
      organization_id: string;
      evaluation_id: string;
      creator_id: string;
      /** Whose authority the run has; read again for each record. */
      holder: Json<Holder>;
      name: string;
      description: string | null;
      tags: Json<string[]>;
      metadata: Json<Record<string, unknown>>;
      status: RunStatus;
      dataset_id: string;
      num_generations: number;
      evaluators: Json<Evaluator[]>;
      system: Json<System>;
      total_records: number;
      completed_records: number;
      failed_records: number;
      input_tokens: number;
      output_tokens: number;
      cost_micros: number;
      estimated_cost_micros: number;
      goal_results: JsonOrNull<GoalResults>;
      passed: boolean | null;
      error: string | null;
      /** The last record of the dataset that was copied. */
      copied_after: string | null;
      is_copied: boolean;
      trial_id: string | null;
      started_at: string | null;
      completed_at: string | null;
    };
    evaluation_records: Times & {
      id: string;
      run_id: string;
      workspace_id: string;
      position: number;
      dataset_record_id: string;
      /** JSON as text, which can be searched alike on both databases. */
      input: string;
      record_info: string;
      status: RecordStatus;
    };
    evaluation_generations: {
      id: string;
      run_id: string;
      record_id: string;
      position: number;
      output: string | null;
      status: ResultStatus;
      error: string | null;
      metadata: Json<Record<string, unknown>>;
      created_at: string;
    };
    evaluation_scores: {
      id: string;
      run_id: string;
      record_id: string;
      generation_id: string;
      evaluator: string;
      value: number | null;
      label: string | null;
      status: ResultStatus;
      rationale: string | null;
      error: string | null;
      created_at: string;
    };
    evaluation_optimizations: Times & {
      id: string;
      workspace_id: string;
      creator_id: string;
      project_id: string;
      evaluation_id: string;
      name: string;
      algorithm: string;
      status: string;
      description: string | null;
      steer: string | null;
      tags: Json<string[]>;
      objective_spec: Json<Objective>;
      outcome: JsonOrNull<Record<string, unknown>>;
    };
    evaluation_trials: Times & {
      id: string;
      optimization_id: string;
      trial_key: string;
      metadata: Json<Record<string, unknown>>;
    };
    evaluation_pipelines: Named & { selectors: Json<Selector[]>; enabled: boolean };
    evaluation_pipeline_configs: Omit<Named, 'creator_id'> & {
      pipeline_id: string | null;
      organization_id: string;
      holder: Json<Holder>;
      group_name: string | null;
      kind: PipelineKind;
      selectors: Json<Selector[]>;
      enabled: boolean;
      definition: Json<Definition>;
      definition_hash: string;
      sampling: JsonOrNull<Sampling>;
      scorer_slug: string | null;
      /** Spans that ended before this have been looked at. */
      scanned_to_ms: number;
    };
    span_evaluations: {
      workspace_id: string;
      /** When it was judged, in microseconds. */
      start_us: number;
      span_id: string;
      organization_id: string;
      user_id: string;
      trace_id: string;
      response_id: string;
      conversation_id: string;
      span_name: string;
      duration_ns: number;
      config_id: string;
      config_slug: string;
      evaluation_name: string;
      score_value: number;
      score_label: string;
      explanation: string;
      details: JsonOrNull<{ metadata: Record<string, string> }>;
    };
  }
}

export type RecordStatus = 'pending' | 'completed' | 'failed';
export type ResultStatus = 'completed' | 'failed';
export type ProjectRow = Selectable<Tables['evaluation_projects']>;
export type EvaluationRow = Selectable<Tables['evaluations']>;
export type RunRow = Selectable<Tables['evaluation_runs']>;
export type RecordRow = Selectable<Tables['evaluation_records']>;
export type GenerationRow = Selectable<Tables['evaluation_generations']>;
export type ScoreRow = Selectable<Tables['evaluation_scores']>;
export type OptimizationRow = Selectable<Tables['evaluation_optimizations']>;
export type TrialRow = Selectable<Tables['evaluation_trials']>;
export type PipelineRow = Selectable<Tables['evaluation_pipelines']>;
export type ConfigRow = Selectable<Tables['evaluation_pipeline_configs']>;
export type SpanEvaluationRow = Selectable<Tables['span_evaluations']>;
