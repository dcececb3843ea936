import { badRequest, ValidationFailed, type ValidationItem } from '../kit/http/index.ts';
import { fillPlaceholders, findPlaceholders } from './find-variables.ts';
import type { Prompt } from './schema.ts';

export type FilledPrompt = {
  /** The prompt's text with values in the place of its placeholders. */
  text: string;
  /** The model that shall answer to it. */
  model: string;
  /** Which version of which prompt it was. */
  headers: Record<string, string>;
};

const WHERE = ['body', 'metadata', 'variables'];

export function fillPrompt(prompt: Prompt, model: string | undefined, variables: unknown): FilledPrompt {
  const content = prompt.definition?.content ?? '';
  const values = readVariables(variables);
  const missing = findPlaceholders(content).filter((name) => !values.has(name));
  if (missing.length > 0) {
    throw new ValidationFailed(
      missing.map((name) => ({ type: 'missing', loc: [...WHERE, name], msg: 'Field required', input: null })),
    );
  }
  if (model === undefined) {
    throw badRequest(
      `The prompt '${prompt.name}' has no model. Set one with: tramontane prompts set-model ${prompt.name} <model>`,
      { type: 'invalid_model', code: '1500' },
    );
  }
  return {
    text: fillPlaceholders(content, values),
    model,
    headers: { 'tramontane-prompt-id': prompt.id ?? '', 'tramontane-prompt-version': String(prompt.version) },
  };
}

/** Texts as they are, numbers and truth values as they are written. */
function readVariables(variables: unknown): Map<string, string> {
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
