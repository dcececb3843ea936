import { ValidationFailed, type ValidationItem } from '../kit/http/index.ts';
import { promptErrors } from './errors.ts';
import { fillPlaceholders, findPlaceholders } from './find-variables.ts';
import type { Prompt } from './schema.ts';

export type FilledPrompt = {
  text: string;
  /** The model that completes the text. */
  model: string;
  /** Response headers that name the prompt and its version. */
  headers: Record<string, string>;
};

const WHERE = ['body', 'metadata', 'variables'];

export function fillPrompt(prompt: Prompt, model: string | undefined, variables: unknown): FilledPrompt {
  const content = prompt.definition?.content ?? '';
  const values = parseVariables(variables);
  const missing = findPlaceholders(content).filter((name) => !values.has(name));
  // These 422 items look like those of a schema, which these variables cannot have: it depends on the prompt.
  if (missing.length > 0) {
    throw new ValidationFailed(
      missing.map((name) => ({ type: 'missing', loc: [...WHERE, name], msg: 'Field required', input: null })),
    );
  }
  if (model === undefined) throw promptErrors.prompt_model_missing(prompt.name ?? '');
  return {
    text: fillPlaceholders(content, values),
    model,
    headers: { 'tramontane-prompt-id': prompt.id ?? '', 'tramontane-prompt-version': String(prompt.version) },
  };
}

function parseVariables(variables: unknown): Map<string, string> {
  if (variables === undefined || variables === null) return new Map();
  if (typeof variables !== 'object' || Array.isArray(variables)) {
    throw new ValidationFailed([
      { type: 'dict_type', loc: WHERE, msg: 'Input should be a valid dictionary', input: variables },
    ]);
  }
  const wrong: ValidationItem[] = [];
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(variables)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      values.set(name, String(value));
    else
      wrong.push({ type: 'string_type', loc: [...WHERE, name], msg: 'Input should be a valid string', input: value });
  }
  if (wrong.length > 0) throw new ValidationFailed(wrong);
  return values;
}
