import type { PromptDefinition } from '../../../../src/prompts/schema.ts';
import { variablesOf } from '../../registry/placeholders.ts';
import type { Registry, Version } from '../../registry/queries.ts';

export const prompts: Registry = { path: '/v2/prompts', noun: 'prompt' };

export type PromptVersion = Version<PromptDefinition>;

/** Every name in double braces is declared as a variable. */
export function definitionOf(content: string): PromptDefinition {
  return { content, variables: variablesOf(content).map((name) => ({ name })) };
}
