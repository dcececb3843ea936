import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { CommandFailure, explainFile } from '../../operator/command-failure.ts';
import { type ApiClient, openApi } from '../shell/api-client.ts';
import { type Context, type ExitCode, UsageError } from '../shell/command.ts';

const POLL_MS = 500;
const RUNNING = new Set(['queued', 'running', 'stopping']);
const PROJECT = 'ci';

type Plan = Record<string, unknown> & { evaluators: Evaluator[]; evaluation?: string };
type Evaluator = Record<string, unknown> & { judge?: string; check?: string; name?: string };
type Run = {
  id: string;
  name: string;
  status: string;
  passed: boolean | null;
  run_info: {
    progress: { total: number; completed: number; failed: number };
    cost: { spent: number; estimated: number };
    error: string | null;
  };
  goal_results: Record<
    string,
    { passed: boolean; results: { metric: string; actual: number; target: number | null }[] }
  >;
  statistics: Record<string, { type: string; avg?: number | null; frequencies?: Record<string, number> }>;
};
type Comparison = {
  evaluators: { evaluator: string; verdict: string; better: number; worse: number; p_value: number }[];
};

/** Starts a run, shows its progress and says by its exit code whether the thresholds were reached. */
export async function runEvaluation(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const { evaluation = 'ci', ...plan } = await readPlan(context);
  const api = openApi(context);
  await ensureEvaluation(api, evaluation);
  const path = `/v1/observability/evaluations_v2/${encodeURIComponent(evaluation)}/runs`;
  if (args.flag('estimate')) {
    const { data } = await api.send<{ requests: number; cost: number }>('POST', `${path}/estimate`, plan);
    output.result(
      data,
      `${data.requests} requests, about ${data.cost.toFixed(4)} in the currency of the configuration`,
    );
    return 0;
  }
  let { data: run } = await api.send<Run>('POST', path, plan);
  output.note(`[run ${run.id}: about ${run.run_info.cost.estimated.toFixed(4)}]`);
  while (RUNNING.has(run.status)) {
    output.progress(describeRun(run));
    await sleep(POLL_MS);
    run = await api.get<Run>(`/v1/observability/evaluation-runs_v2/${run.id}`);
  }
  const baseline = args.text('baseline');
  const comparison =
    baseline === undefined
      ? undefined
      : await api.get<Comparison>(
          `/v1/observability/evaluation-runs_v2/${run.id}/comparison?baseline=${encodeURIComponent(baseline)}`,
        );
  const lines = [describeRun(run), ...describeScores(run), ...(comparison?.evaluators ?? []).map(describeVerdict)];
  if (run.run_info.error) lines.push(run.run_info.error);
  // A threshold that nothing was compared with must not let a change pass.
  const goals = plan.evaluators.filter(({ aggregate_goal }) => aggregate_goal !== undefined).length;
  const isUncompared = run.status === 'completed' && Object.keys(run.goal_results).length < goals;
  if (isUncompared)
    lines.push('A threshold was not compared: an evaluator has labels and no average. Use `aggregate_goal` in a file.');
  output.result({ ...run, ...(comparison && { comparison }) }, lines.join('\n'));
  const isWorse = comparison?.evaluators.some(({ verdict }) => verdict === 'worse') ?? false;
  return run.status === 'completed' &&
    run.run_info.progress.failed === 0 &&
    run.passed !== false &&
    !isWorse &&
    !isUncompared
    ? 0
    : 1;
}

async function readPlan({ args }: Context): Promise<Plan> {
  const file = args.optionalParameter('file');
  const given = file === undefined ? {} : await readYaml(file);
  const [dataset_id, name, evaluation] = [args.text('dataset'), args.text('name'), args.text('evaluation')];
  const system = systemOf(args) ?? given.system;
  const named = [...namesOf(args.text('judge'), 'judge'), ...namesOf(args.text('check'), 'check')];
  const evaluators = named.length > 0 ? named : ((given.evaluators ?? []) as Evaluator[]);
  const plan = {
    ...given,
    ...(dataset_id !== undefined && { dataset_id }),
    ...(name !== undefined && { name }),
    ...(evaluation !== undefined && { evaluation }),
    ...(system !== undefined && { system }),
    evaluators: withThresholds(evaluators, args.text('threshold')),
  } as Plan;
  if (plan.dataset_id === undefined)
    throw new UsageError('Name a dataset: --dataset <id>, or `dataset_id` in the file.');
  if (plan.system === undefined)
    throw new UsageError('Say what answers: --model, --prompt or --agent, or `system` in the file.');
  if (evaluators.length === 0) throw new UsageError('Say who scores: --judge or --check, or `evaluators` in the file.');
  return plan;
}

async function readYaml(file: string): Promise<Record<string, unknown>> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new CommandFailure(`There is no file ${file}.`);
    throw explainFile(error, `Reading ${file}`);
  });
  try {
    const value: unknown = parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {}
  throw new CommandFailure(`${file} is not a YAML file with the fields of a run.`);
}

function systemOf(args: Context['args']): object | undefined {
  const [model, prompt, agent_id] = [args.text('model'), args.text('prompt'), args.text('agent')];
  if (model !== undefined) return { kind: 'model', model };
  if (agent_id !== undefined) return { kind: 'agent', agent_id };
  if (prompt === undefined) return undefined;
  const [, name = prompt, alias, version] = /^([^@#]+)(?:@(.+)|#(\d+))?$/.exec(prompt) ?? [];
  return { kind: 'prompt', prompt: name, ...(alias && { alias }), ...(version && { version: Number(version) }) };
}

function namesOf(text: string | undefined, field: 'judge' | 'check'): Evaluator[] {
  return (text ?? '').split(',').flatMap((name) => (name.trim() ? [{ [field]: name.trim() }] : []));
}

/** A number is for all, `name=number` for one. */
function withThresholds(evaluators: Evaluator[], text: string | undefined): Evaluator[] {
  const thresholds = (text ?? '').split(',').flatMap((one) => {
    if (one.trim() === '') return [];
    const [value = '', name] = one.split('=').reverse();
    if (value.trim() === '' || !Number.isFinite(Number(value)))
      throw new UsageError(`--threshold takes numbers such as 0.8 or judge=0.8, not ${one}.`);
    return [{ name: name?.trim(), value: Number(value) }];
  });
  const isOf = (one: Evaluator, name: string | undefined) => name === nameOf(one);
  const unknown = thresholds.find(({ name }) => name !== undefined && !evaluators.some((one) => isOf(one, name)));
  if (unknown) throw new UsageError(`--threshold names ${unknown.name}, which is no evaluator of this run.`);
  return evaluators.map((one) => {
    const found = thresholds.find(({ name }) => isOf(one, name)) ?? thresholds.find(({ name }) => name === undefined);
    return found ? { ...one, aggregate_goal: { operator: 'gte', value: found.value } } : one;
  });
}

const nameOf = ({ name, judge, check }: Evaluator): string | undefined => name ?? judge ?? check;

async function ensureEvaluation(api: ApiClient, slug: string): Promise<void> {
  if (await api.find(`/v1/observability/evaluations_v2/${encodeURIComponent(slug)}`)) return;
  if (!(await api.find(`/v1/observability/projects/${PROJECT}`)))
    await api.send('POST', '/v1/observability/projects', { name: 'CI', slug: PROJECT });
  await api.send('POST', `/v1/observability/projects/${PROJECT}/evaluations_v2`, { name: slug, slug });
}

function describeRun({ status, run_info: { progress, cost } }: Run): string {
  const failed = progress.failed > 0 ? `, ${progress.failed} failed` : '';
  return `${status}: ${progress.completed} of ${progress.total} records${failed}, cost ${cost.spent.toFixed(4)}`;
}

function describeScores({ statistics, goal_results }: Run): string[] {
  return Object.entries(statistics).map(([name, { avg, frequencies }]) => {
    const value = frequencies
      ? Object.entries(frequencies)
          .map(([label, count]) => `${label} ${count}`)
          .join(', ')
      : (avg ?? 0).toFixed(3);
    const goal = goal_results[name];
    return `${name}: ${value}${goal ? ` (${goal.passed ? 'reached' : 'missed'} ${goal.results[0]?.target ?? ''})` : ''}`;
  });
}

function describeVerdict({ evaluator, verdict, better, worse, p_value }: Comparison['evaluators'][number]): string {
  return `${evaluator}: ${verdict.replaceAll('_', ' ')} (${better} better, ${worse} worse, p = ${p_value.toFixed(3)})`;
}
