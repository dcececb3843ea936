/** A name that can stand between the braces of a placeholder. */
export const VARIABLE_NAME = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;

const PLACEHOLDER = /\{\{\s*([\p{L}_][\p{L}\p{N}_.-]{0,63})\s*\}\}/gu;

type Definition = { content: string; variables?: { name: string }[] | undefined };

/** The names of all placeholders in a text, each once. Other text in double braces is left alone. */
export function findPlaceholders(content: string): string[] {
  return [...new Set([...content.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/** Puts values in the place of placeholders; a value is never searched for placeholders itself. */
export function fillPlaceholders(content: string, values: ReadonlyMap<string, string>): string {
  return content.replace(PLACEHOLDER, (whole, name: string) => values.get(name) ?? whole);
}

const NAMES_SHOWN_MAX = 50;

/** What is odd about the variables of a definition, as headers of the answer. */
export function variableHeaders({ content, variables = [] }: Definition): Record<string, string> {
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

// A header holds ASCII only, and not much of it.
function listHeader(header: string, names: string[]): Record<string, string> {
  if (names.length === 0) return {};
  const shown = names.slice(0, NAMES_SHOWN_MAX).map(encodeURIComponent);
  return { [header]: [...shown, ...(names.length > shown.length ? ['...'] : [])].join(', ') };
}
