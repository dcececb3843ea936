import type { NewRun } from './queries.ts';

export const CHECKS = [
  { value: 'exact_match', label: 'Is exactly the expected answer' },
  { value: 'contains', label: 'Contains the expected answer' },
  { value: 'valid_json', label: 'Is valid JSON' },
] as const;
type Check = (typeof CHECKS)[number]['value'];

export const KINDS = [
  { value: 'model', label: 'Model' },
  { value: 'prompt', label: 'Prompt' },
  { value: 'agent', label: 'Agent' },
  { value: 'recorded', label: 'Recorded answers' },
] as const;

export type RunDraft = {
  /** The slug of an evaluation; empty for a new one. */
  evaluation: string;
  project: string;
  name: string;
  dataset: string;
  kind: (typeof KINDS)[number]['value'];
  model: string;
  prompt: string;
  /** Empty for the newest. */
  version: string;
  agent: string;
  judges: readonly string[];
  checks: readonly Check[];
  answers: string;
};

export const EMPTY_DRAFT: RunDraft = {
  evaluation: '',
  project: '',
  name: '',
  dataset: '',
  kind: 'model',
  model: '',
  prompt: '',
  version: '',
  agent: '',
  judges: [],
  checks: [],
  answers: '1',
};

export type RunProblems = Partial<Record<keyof RunDraft | 'evaluators', string>>;

const ANSWERS_MAX = 10;

/** The request, or what is still missing. */
export function readRun(draft: RunDraft): { request?: NewRun; problems: RunProblems } {
  const problems: RunProblems = {};
  if (draft.dataset === '') problems.dataset = 'Choose a dataset.';
  const answers = Number(draft.answers);
  if (!Number.isInteger(answers) || answers < 1 || answers > ANSWERS_MAX)
    problems.answers = `Enter a number from 1 to ${ANSWERS_MAX}.`;
  if (draft.judges.length + draft.checks.length === 0) problems.evaluators = 'Choose at least one judge or check.';
  const system = readSystem(draft, problems);
  if (!system || Object.keys(problems).length > 0) return { problems };
  const evaluators = [...draft.judges.map((judge) => ({ judge })), ...draft.checks.map((check) => ({ check }))];
  return { request: { dataset_id: draft.dataset, system, evaluators, num_generations: answers }, problems };
}

function readSystem(draft: RunDraft, problems: RunProblems): NewRun['system'] | undefined {
  const { kind, model, prompt, version, agent } = draft;
  if (kind === 'recorded') return { kind };
  if (kind === 'model') {
    if (model !== '') return { kind, model };
    problems.model = 'Choose a model.';
  } else if (kind === 'prompt') {
    if (prompt !== '') return { kind, prompt, ...(version === '' ? {} : { version: Number(version) }) };
    problems.prompt = 'Choose a prompt.';
  } else {
    if (agent !== '') return { kind, agent_id: agent };
    problems.agent = 'Choose an agent.';
  }
  return undefined;
}
