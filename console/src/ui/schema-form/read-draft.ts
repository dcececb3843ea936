import type { Draft, ListDraft, ObjectDraft, VariantDraft } from './drafts.ts';
import { type Field, type FieldOf, pathOf } from './fields.ts';

/** Problems by path; the root has the empty path. */
export type Problems = Readonly<Record<string, string>>;
export type ReadDraft = { value: unknown; problems: Problems };

const REQUIRED = 'Required.';

/** The value of a draft and its problems. Undefined is omitted from the enclosing object. */
export function readDraft(field: Field, draft: Draft): ReadDraft {
  const problems: Record<string, string> = {};
  const value = read(field, draft, field.kind !== 'json', '', problems);
  return { value, problems };
}

function read(
  field: Field,
  draft: Draft,
  isRequired: boolean,
  path: string,
  problems: Record<string, string>,
): unknown {
  if (field.kind === 'constant') return field.value;
  if (isBlank(field, draft)) {
    if (field.kind === 'object' && isRequired) return readObject(field, draft as ObjectDraft, path, problems);
    if (field.kind === 'list' && isRequired) return readList(field, draft as ListDraft, path, problems);
    if (field.kind === 'variants' && isRequired) return readVariant(field, draft as VariantDraft, path, problems);
    if (!isRequired) return undefined;
    if (field.isNullable) return null;
    problems[path] = REQUIRED;
    return undefined;
  }
  switch (field.kind) {
    case 'object':
      return readObject(field, draft as ObjectDraft, path, problems);
    case 'list':
      return readList(field, draft as ListDraft, path, problems);
    case 'variants':
      return readVariant(field, draft as VariantDraft, path, problems);
    case 'choice':
      return field.options[Number(draft)]?.value;
    case 'boolean':
      return draft === 'true';
    case 'number':
      return readNumber(field, draft as string, path, problems);
    case 'text':
      return readText(field, draft as string, path, problems);
    case 'json':
      return readJson(draft as string, path, problems);
  }
}

/** Whether nothing was filled in, at any depth. */
function isBlank(field: Field, draft: Draft): boolean {
  switch (field.kind) {
    case 'constant':
      return true;
    case 'object':
      return field.properties.every(({ name, field: inner }) =>
        isBlank(inner, (draft as ObjectDraft).properties[name] ?? ''),
      );
    case 'list':
      return (draft as ListDraft).items.length === 0;
    case 'variants': {
      const { picked, draft: inner } = draft as VariantDraft;
      const option = field.options[picked];
      return !option || isBlank(option.field, inner);
    }
    case 'text':
      return draft === '';
    case 'boolean':
    case 'choice':
    case 'number':
    case 'json':
      return (draft as string).trim() === '';
  }
}

function readObject(field: FieldOf<'object'>, draft: ObjectDraft, path: string, problems: Record<string, string>) {
  const value: Record<string, unknown> = {};
  for (const { name, isRequired, field: inner } of field.properties) {
    const part = read(inner, draft.properties[name] ?? '', isRequired, pathOf(path, name), problems);
    if (part !== undefined) value[name] = part;
  }
  return value;
}

function readList(field: FieldOf<'list'>, { items }: ListDraft, path: string, problems: Record<string, string>) {
  if (items.length < field.min) problems[path] = `At least ${count(field.min, 'entry', 'entries')}.`;
  if (field.max !== undefined && items.length > field.max)
    problems[path] = `At most ${count(field.max, 'entry', 'entries')}.`;
  return items.map(({ draft }, at) => read(field.item, draft, true, pathOf(path, at), problems) ?? null);
}

function readVariant(field: FieldOf<'variants'>, draft: VariantDraft, path: string, problems: Record<string, string>) {
  const option = field.options[draft.picked];
  return option && read(option.field, draft.draft, true, path, problems);
}

function readNumber(field: FieldOf<'number'>, text: string, path: string, problems: Record<string, string>) {
  const value = Number(text.trim());
  const problem = problemOfNumber(field, value);
  if (problem) problems[path] = problem;
  return value;
}

function problemOfNumber(field: FieldOf<'number'>, value: number): string | undefined {
  const { isInteger, min, max, above, below, multipleOf } = field;
  if (!Number.isFinite(value)) return 'This must be a number.';
  if (isInteger && !Number.isInteger(value)) return 'This must be a whole number.';
  if (min !== undefined && value < min) return `This must be ${min} or more.`;
  if (max !== undefined && value > max) return `This must be ${max} or less.`;
  if (above !== undefined && value <= above) return `This must be more than ${above}.`;
  if (below !== undefined && value >= below) return `This must be less than ${below}.`;
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) return `This must be a multiple of ${multipleOf}.`;
  return undefined;
}

function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

function readText(field: FieldOf<'text'>, text: string, path: string, problems: Record<string, string>) {
  const problem = problemOfText(field, text);
  if (problem) problems[path] = problem;
  if (field.format !== 'date-time' || problem) return text;
  return new Date(text).toISOString();
}

function problemOfText({ format, minLength, maxLength, pattern }: FieldOf<'text'>, text: string): string | undefined {
  const length = [...text].length;
  if (minLength !== undefined && length < minLength) return `At least ${count(minLength, 'character', 'characters')}.`;
  if (maxLength !== undefined && length > maxLength)
    return `At most ${count(maxLength, 'character', 'characters')}; this has ${length}.`;
  if (format === 'email' && !/^[^\s@]+@[^\s@]+$/.test(text)) return 'This must be an e-mail address.';
  if ((format === 'uri' || format === 'url') && !URL.canParse(text)) return 'This must be a URL.';
  if (format === 'date-time' && Number.isNaN(Date.parse(text))) return 'This must be a date and time.';
  if (format === 'date' && Number.isNaN(Date.parse(text))) return 'This must be a date.';
  // A format has its own message; a pattern beside it would only repeat it.
  if (pattern !== undefined && format === undefined && !matches(pattern, text)) return `This must match ${pattern}`;
  return undefined;
}

/** Patterns that this browser cannot parse are left to the server. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

export function readJson(text: string, path: string, problems: Record<string, string>): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    problems[path] = `Invalid JSON: ${(error as Error).message}`;
    return undefined;
  }
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
