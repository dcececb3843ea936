import type { PromptDefinition } from '../../../../src/prompts/schema.ts';
import { variablesOf } from '../../registry/placeholders.ts';
import type { Registry, Version } from '../../registry/queries.ts';

export const prompts: Registry = { path: '/v2/prompts', noun: 'prompt' };

export type PromptVersion = Version<PromptDefinition>;

/** The definition of a text: whatever stands in double braces is a variable of it. */
export function definitionOf(content: string): PromptDefinition {
  return { content, variables: variablesOf(content).map((name) => ({ name })) };
}
