import { uuidv7 } from '../kit/base/ids.ts';
import type { Scope } from '../kit/http/index.ts';
import type { Price } from '../metering/index.ts';
import { evaluationErrors } from './errors.ts';
import type { EvaluationPorts } from './ports.ts';
import { readRecord } from './read-record.ts';
import type { Evaluator, EvaluatorRequest, JudgeDefinition } from './schema/evaluators.ts';
import { RECORDS_MAX, type RunEstimate } from './schema/runs.ts';
import type { System, SystemRequest } from './schema/systems.ts';

const CHARACTERS_PER_TOKEN = 4;
/** So many records tell how long the others are. */
const SAMPLE_RECORDS = 100;
const ANSWER_TOKENS = 300;
const JUDGEMENT_TOKENS = 150;
const JUDGE_INSTRUCTION_TOKENS = 250;

export type PlanRequest = {
  dataset_id: string;
  system: SystemRequest;
  evaluators: EvaluatorRequest[];
  num_generations: number;
};
export type Plan = {
  datasetId: string;
  records: number;
  system: System;
  evaluators: Evaluator[];
  estimate: RunEstimate;
  costMicros: number;
};

type Ports = Pick<EvaluationPorts, 'judges' | 'datasets' | 'prompts' | 'agents' | 'models' | 'prices' | 'now'>;

/** Everything that a run needs, as it is now: later changes of a prompt or judge do not change the run. */
export async function planRun(ports: Ports, scope: Scope, request: PlanRequest): Promise<Plan> {
  const dataset = await ports.datasets.find(scope, request.dataset_id);
  if (dataset.records === 0)
    throw invalid(['dataset_id'], 'The dataset has no records. Add some first.', request.dataset_id);
  if (dataset.records > RECORDS_MAX)
    throw invalid(['dataset_id'], `A run takes at most ${RECORDS_MAX} records.`, request.dataset_id);
  const system = await toSystem(ports, scope, request.system);
  const evaluators: Evaluator[] = [];
  for (const [i, one] of request.evaluators.entries()) {
    const evaluator = await toEvaluator(ports, scope, one, i);
    if (evaluators.some(({ name }) => name === evaluator.name))
      throw invalid(
        ['evaluators', i, 'name'],
        'Another evaluator has this name. Give one of them another.',
        evaluator.name,
      );
    evaluators.push(evaluator);
  }
  const planned = { datasetId: dataset.id, records: dataset.records, system, evaluators };
  return { ...planned, ...(await estimateRun(ports, scope, planned, request)) };
}

const invalid = (loc: (string | number)[], message: string, input?: unknown) =>
  evaluationErrors.evaluation_plan_invalid(['body', ...loc], message, input);

async function toSystem({ prompts, agents, models }: Ports, scope: Scope, system: SystemRequest): Promise<System> {
  const { kind } = system;
  if (kind === 'recorded') return { kind, name: 'recorded answers', request: {}, params: {} };
  if (kind === 'agent') {
    const { id, name, version } = await agents.get(scope, system.agent_id);
    const params = { agent_id: id, agent_version: version };
    return { kind, name, request: { agent_id: id }, params };
  }
  const { temperature, top_p, max_tokens, random_seed } = system;
  const settings = withoutUndefined({ temperature, top_p, max_tokens, random_seed });
  if (kind === 'model') {
    if (!models.find(system.model, scope.workspace_id))
      throw invalid(['system', 'model'], 'There is no model of this name. GET /v1/models lists them.', system.model);
    return {
      kind,
      name: system.model,
      request: { model: system.model, ...settings },
      params: { model: system.model, ...settings },
    };
  }
  if (system.version !== undefined && system.alias !== undefined)
    throw invalid(['system', 'alias'], 'Send a version or an alias, not both.', system.alias);
  const { version, alias } = system;
  const prompt = await prompts.read(scope, system.prompt, withoutUndefined({ version, alias }));
  const { model } = await prompts.getModel(scope, system.prompt);
  if (model === null)
    throw invalid(
      ['system', 'prompt'],
      'The prompt has no model. Give it one: PUT /v2/prompts/{id}/model.',
      system.prompt,
    );
  const [id, name, number] = [prompt.id ?? '', prompt.name ?? system.prompt, prompt.version ?? 1];
  return {
    kind,
    name: `${name}#${number}`,
    request: { model: `prompt:${id}#${number}`, ...settings },
    params: { prompt_id: id, prompt_name: name, prompt_version: number, model, ...settings },
  };
}

async function toEvaluator(
  { judges, now }: Ports,
  scope: Scope,
  request: EvaluatorRequest,
  i: number,
): Promise<Evaluator> {
  const { judge: given, check = null, ...rest } = request;
  if ((given === undefined) === (check === null))
    throw invalid(['evaluators', i], 'An evaluator has either `judge` or `check`.');
  const judge = given === undefined ? null : await findJudge(judges, scope, given);
  const range = judge?.output.type === 'REGRESSION' ? judge.output : null;
  return {
    id: uuidv7(now()),
    name: rest.name ?? judge?.name ?? (check as string),
    description: judge?.description ?? null,
    judge,
    check,
    num_scores: check ? 1 : rest.num_scores,
    weight: rest.weight,
    direction: rest.direction,
    min_value: check ? 0 : (range?.min ?? null),
    max_value: check ? 1 : (range?.max ?? null),
    goal: rest.goal ?? null,
    aggregate_goal: rest.aggregate_goal ?? null,
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** By id, or by its name, which is unique in a workspace. */
export async function findJudge(
  judges: EvaluationPorts['judges'],
  scope: Scope,
  idOrName: string,
): Promise<JudgeDefinition> {
  const found = UUID.test(idOrName)
    ? undefined
    : (await judges.list(scope, { page_size: 100, page: 1, q: idOrName })).judges.results?.find(
        ({ name }) => name === idOrName,
      );
  const { id, name, description, model_name, instructions, tools, output } =
    found ?? (await judges.get(scope, idOrName));
  return { id, name, description, model_name, instructions, tools, output };
}

/** By the length of some records; what models will say is assumed to be of middling length. */
async function estimateRun(
  { datasets, models, prices }: Ports,
  scope: Scope,
  { datasetId, records, system, evaluators }: Pick<Plan, 'datasetId' | 'records' | 'system' | 'evaluators'>,
  { num_generations }: PlanRequest,
): Promise<{ estimate: RunEstimate; costMicros: number }> {
  const { workspace_id } = scope;
  const sample = (await datasets.read(scope, datasetId, -1)).slice(0, SAMPLE_RECORDS);
  const characters = sample.reduce((sum, record) => sum + JSON.stringify(readRecord(record).messages).length, 0);
  const question = Math.ceil(characters / Math.max(1, sample.length) / CHARACTERS_PER_TOKEN);
  const priceOf = (model: unknown): Price =>
    prices(models.find(String(model), workspace_id)?.id ?? String(model)) ?? { prompt: 0, completion: 0 };
  const isAsked = system.kind !== 'recorded';
  const answer = Number(system.params.max_tokens ?? ANSWER_TOKENS);
  const calls = [
    ...(isAsked ? [{ input: question, output: answer, price: priceOf(system.params.model), times: 1 }] : []),
    ...evaluators.flatMap(({ judge, num_scores: times }) =>
      judge
        ? [
            {
              input:
                question +
                answer +
                JUDGE_INSTRUCTION_TOKENS +
                Math.ceil(judge.instructions.length / CHARACTERS_PER_TOKEN),
              output: JUDGEMENT_TOKENS,
              price: priceOf(judge.model_name),
              times,
            },
          ]
        : [],
    ),
  ];
  const units = records * (isAsked ? num_generations : 1);
  const sum = (of: (call: (typeof calls)[number]) => number) =>
    calls.reduce((total, call) => total + of(call) * call.times, 0) * units;
  const costMicros = Math.ceil(sum(({ input, output, price }) => input * price.prompt + output * price.completion));
  return {
    costMicros,
    estimate: {
      records,
      requests: sum(() => 1),
      input_tokens: sum(({ input }) => input),
      output_tokens: sum(({ output }) => output),
      cost: costMicros / 1_000_000,
    },
  };
}

function withoutUndefined<T extends Record<string, unknown>>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}
