import type { FieldProblem } from '../api/api-error.ts';

/** An input of a form: what its label says, and which fields of the request it fills in where the label does not tell. */
export type FormField = { id: string; label: string; names: readonly string[] };

/** Words of the API that people know by another name. */
const SYNONYMS: Record<string, readonly string[]> = {
  url: ['address'],
  uri: ['address'],
  content: ['text'],
  body: ['instructions', 'text'],
  model_id: ['model'],
  emails: ['e-mail', 'email'],
  email: ['e-mail'],
  input: ['text', 'question'],
  inputs: ['message', 'question'],
};

/** Which problem stands beside which input; what no input shows is left. */
export function matchFields(
  problems: readonly FieldProblem[],
  fields: readonly FormField[],
): { byId: ReadonlyMap<string, string>; left: FieldProblem[] } {
  const byId = new Map<string, string>();
  const left: FieldProblem[] = [];
  for (const problem of problems) {
    const found = findField(problem.field, fields);
    if (!found) left.push(problem);
    else if (!byId.has(found.id)) byId.set(found.id, problem.message);
  }
  return { byId, left };
}

function findField(path: string, fields: readonly FormField[]): FormField | undefined {
  // A path may begin with the kind of the object, as in `upstream.url`.
  const lengthOf = ({ names }: FormField) =>
    Math.max(0, ...names.filter((name) => `.${path}.`.includes(`.${name}.`)).map(({ length }) => length));
  const named = fields.filter((field) => lengthOf(field) > 0);
  if (named.length > 0) return named.reduce((best, one) => (lengthOf(one) > lengthOf(best) ? one : best));
  // From the last word of the path to the first: `definition.content` is Content before it is Definition.
  for (const part of nameParts(path).reverse()) {
    const wanted = [part, ...(SYNONYMS[part] ?? [])].map(plain);
    const same = fields.find(({ label, names }) => names.length === 0 && wanted.includes(plain(label)));
    if (same) return same;
    const like = fields.filter(
      ({ label, names }) => names.length === 0 && wanted.some((word) => ` ${plain(label)} `.includes(` ${word} `)),
    );
    if (like.length === 1) return like[0];
  }
  return undefined;
}

function nameParts(path: string): string[] {
  return path.split('.').filter((part) => part !== '' && !/^\d+$/.test(part));
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/\([^)]*\)/g, ' ')
    .replaceAll(/[_\s]+/g, ' ')
    .trim();
}
