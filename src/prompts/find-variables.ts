import type { PromptDefinition } from './schema.ts';

const PLACEHOLDER = /\{\{\s*([\p{L}_][\p{L}\p{N}_.-]{0,63})\s*\}\}/gu;

/** The names of all placeholders in a text, each once. */
export function findPlaceholders(content: string): string[] {
  const names = new Set<string>();
  // One match at a time: a long text has hundreds of thousands.
  for (const [, name = ''] of content.matchAll(PLACEHOLDER)) names.add(name);
  return [...names];
}

/** Placeholders inside of values are not filled. */
export function fillPlaceholders(content: string, values: ReadonlyMap<string, string>): string {
  return content.replace(PLACEHOLDER, (whole, name: string) => values.get(name) ?? whole);
}

const NAMES_SHOWN_MAX = 50;

/** Response headers that name undeclared and unused variables. */
export function variableHeaders({ content, variables = [] }: PromptDefinition): Record<string, string> {
  const used = new Set(findPlaceholders(content));
  const declared = new Set(variables.map(({ name }) => name));
  return {
    ...listHeader(
      'tramontane-undeclared-variables',
      [...used].filter((name) => !declared.has(name)),
    ),
    ...listHeader(
      'tramontane-unused-variables',
      [...declared].filter((name) => !used.has(name)),
    ),
  };
}

// Headers are ASCII, and have a length limit.
function listHeader(header: string, names: string[]): Record<string, string> {
  if (names.length === 0) return {};
  const shown = names.slice(0, NAMES_SHOWN_MAX).map(encodeURIComponent);
  return { [header]: [...shown, ...(names.length > shown.length ? ['...'] : [])].join(', ') };
}
