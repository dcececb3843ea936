import type { CreateJudgeRequest } from '../../../../src/judges/schema.ts';
import type { Judge } from './queries.ts';

export type JudgeDraft = {
  name: string;
  description: string;
  model: string;
  instructions: string;
  type: 'CLASSIFICATION' | 'REGRESSION';
  /** One option a line: `value: what it means`. */
  options: string;
  min: string;
  minMeaning: string;
  max: string;
  maxMeaning: string;
};

export type JudgeProblems = Partial<Record<keyof JudgeDraft, string>>;

const EMPTY: JudgeDraft = {
  name: '',
  description: '',
  model: '',
  instructions: '',
  type: 'CLASSIFICATION',
  options: 'good: The answer is right and helps\nbad: The answer is wrong or does not help',
  min: '0',
  minMeaning: 'wrong',
  max: '1',
  maxMeaning: 'right',
};

export function draftOf(judge: Judge | undefined): JudgeDraft {
  if (!judge) return EMPTY;
  const { name, description, model_name: model, instructions, output } = judge;
  const common = { ...EMPTY, name, description, model, instructions, type: output.type };
  if (output.type === 'CLASSIFICATION')
    return {
      ...common,
      options: output.options.map(({ value, description: means }) => `${value}: ${means}`).join('\n'),
    };
  const { min, max, min_description: minMeaning, max_description: maxMeaning } = output;
  return { ...common, min: String(min), max: String(max), minMeaning, maxMeaning };
}

/** The request, or what is wrong with each field. */
export function readJudge(draft: JudgeDraft): { request?: Omit<CreateJudgeRequest, 'tools'>; problems: JudgeProblems } {
  const problems: JudgeProblems = {};
  const name = draft.name.trim();
  if (name.length < 5 || name.length > 50) problems.name = 'A name has 5 to 50 characters.';
  if (draft.model === '') problems.model = 'Choose a model.';
  if (draft.instructions.trim() === '') problems.instructions = 'Say what to look at.';
  const output = draft.type === 'CLASSIFICATION' ? readOptions(draft, problems) : readRange(draft, problems);
  if (Object.keys(problems).length > 0) return { problems };
  const { description, model: model_name, instructions } = draft;
  return { request: { name, description: description.trim(), model_name, instructions, output }, problems };
}

function readOptions({ options }: JudgeDraft, problems: JudgeProblems): CreateJudgeRequest['output'] {
  const read = options
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const colon = line.indexOf(':');
      const value = (colon < 0 ? line : line.slice(0, colon)).trim();
      return { value, description: colon < 0 ? '' : line.slice(colon + 1).trim() };
    });
  if (read.length < 2 || read.some(({ value }) => value === '')) problems.options = 'Write at least two, one a line.';
  else if (new Set(read.map(({ value }) => value)).size < read.length) problems.options = 'Each value once.';
  return { type: 'CLASSIFICATION', options: read };
}

function readRange(draft: JudgeDraft, problems: JudgeProblems): CreateJudgeRequest['output'] {
  const [min, max] = [Number(draft.min), Number(draft.max)];
  if (draft.min.trim() === '' || !(min >= 0)) problems.min = 'Enter a number from 0 on.';
  if (draft.max.trim() === '' || !(max > min)) problems.max = 'Enter a number above the least.';
  return { type: 'REGRESSION', min, max, min_description: draft.minMeaning, max_description: draft.maxMeaning };
}
