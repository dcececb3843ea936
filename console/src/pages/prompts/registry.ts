import type { PromptDefinition } from '../../../../src/prompts/schema.ts';
import type { Registry, Version } from '../../registry/queries.ts';

export const prompts: Registry = { path: '/v2/prompts', noun: 'prompt' };

export type PromptVersion = Version<PromptDefinition>;

/** The definition of a text: whatever stands in double braces is a variable of it. */
export function definitionOf(content: string): PromptDefinition {
  return { content, variables: variablesOf(content).map((name) => ({ name })) };
}

const PLACEHOLDER = /\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/g;

/** The names in double braces, in their order, each once. */
export function variablesOf(content: string): string[] {
  return [...new Set([...content.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/** The text in pieces: each is plain, or a variable with the value it has so far. */
export function piecesOf(content: string, values: Record<string, string>): { text: string; variable?: string }[] {
  const pieces: { text: string; variable?: string }[] = [];
  let from = 0;
  for (const match of content.matchAll(PLACEHOLDER)) {
    const [whole, name = ''] = match;
    if (match.index > from) pieces.push({ text: content.slice(from, match.index) });
    pieces.push({ text: values[name] || whole, variable: name });
    from = match.index + whole.length;
  }
  if (from < content.length) pieces.push({ text: content.slice(from) });
  return pieces;
}
