import { z } from 'zod';
import type { ValidationItem } from './errors.ts';
import {
  childOf,
  defOf,
  discriminatorOf,
  isNothing,
  isPlainUnion,
  nameOf,
  pythonRepr,
  unwrap,
} from './schema-names.ts';
import { describeIssue, isBeyondSafeInteger } from './validation-messages.ts';

export type { ValidationItem };

type Where = 'body' | 'query' | 'path' | 'header';
type Issue = z.core.$ZodIssue;

/** Issues about one value, their paths relative to it. */
type Finding = {
  schema: z.core.$ZodType | undefined;
  value: unknown;
  loc: (string | number)[];
  issues: readonly Issue[];
};
type Step = Finding | ValidationItem;

const itemsMax = 100;
const issuesPerFieldMax = 1000;
const inputBytesMax = 4096;
const wordLengthMax = 256;
const locLengthMax = 100;

/**
 * Zod's issues in FastAPI's form. Issues alone do not say which branch of a union they come from, so pass the schema; without
 * it `loc` does not name branches.
 */
export function toValidationItems(
  error: z.core.$ZodError,
  where: Where,
  input: unknown,
  schema?: z.core.$ZodType,
): ValidationItem[] {
  if (input === undefined) return [missing([where], null)];
  const items: ValidationItem[] = [];
  // A stack of work instead of recursion: the client decides how deep the input is.
  const steps: Step[] = [{ schema, value: input, loc: [where], issues: error.issues }];
  const isSmall = createSizeCheck();
  for (let step = steps.pop(); step && items.length < itemsMax; step = steps.pop()) {
    if (!('issues' in step)) {
      const { input: shown = null, ...bare } = step;
      items.push(isSmall(shown) ? { ...step, input: shown } : bare);
      continue;
    }
    // Every step ends in an item or more, so those beyond the limit can never be reached.
    const next = expand(step).slice(0, itemsMax);
    for (const later of next.reverse()) steps.push(later);
  }
  return items;
}

function expand(finding: Finding): Step[] {
  const schema = finding.schema && unwrap(finding.schema);
  const here = { ...finding, schema };
  const untagged = finding.issues.find(isUntagged);
  if (untagged) return [tagItem(untagged, here)];
  if (!schema) return expandUnnamedUnion(here) ?? expandFields(here);
  const def = defOf(schema);
  if (def.type !== 'union') return expandFields(here);
  return (
    (isPlainUnion(schema) ? expandUnion(here, def.options) : expandTagged(here, def.options)) ?? expandFields(here)
  );
}

/** Pydantic reports what every branch of a union says, each under the name of the branch. */
function expandUnion(finding: Finding, options: readonly z.core.$ZodType[]): Step[] | undefined {
  const { value, loc } = finding;
  // Zod reports one branch only when only that one has the right type. The others are parsed again.
  const branches =
    wrappedBranches(finding) ?? options.map((option) => z.core.safeParse(option, value).error?.issues ?? []);
  // Some branch accepts the value, so the issues come from a check on the union itself.
  if (branches.some((issues) => issues.length === 0)) return undefined;
  const named = options.filter((option) => !isNothing(option));
  if (named.length === 0) return undefined;
  return options.flatMap((option, index) => {
    if (isNothing(option)) return [];
    // Pydantic flattens nested unions: inner branches are listed beside the outer ones.
    const label = named.length > 1 && !isPlainUnion(unwrap(option)) ? nameOf(option) : undefined;
    return { schema: option, value, loc: label === undefined ? loc : below(loc, label), issues: branches[index] ?? [] };
  });
}

function expandUnnamedUnion(finding: Finding): Step[] | undefined {
  return wrappedBranches(finding)?.map((issues, index) => ({
    ...finding,
    loc: below(finding.loc, `option[${index}]`),
    issues,
  }));
}

function wrappedBranches({ issues }: Finding): Issue[][] | undefined {
  const [issue] = issues;
  if (issues.length !== 1 || issue?.code !== 'invalid_union' || issue.path.length > 0) return undefined;
  return issue.errors.length > 0 ? issue.errors : undefined;
}

function expandTagged(finding: Finding, options: readonly z.core.$ZodType[]): Step[] | undefined {
  const discriminator = (finding.schema && discriminatorOf(finding.schema)) ?? '';
  if (typeof finding.value !== 'object' || finding.value === null) return undefined;
  const tag = ownValue(finding.value, discriminator);
  const tagsOf = (option: z.core.$ZodType) => option._zod.propValues?.[discriminator] ?? new Set();
  const option = options.find((candidate) => tagsOf(candidate).has(tag as z.core.util.Primitive));
  if (!option) return undefined;
  // A tag with a default may be absent; the branch is then named by its default tag.
  const label = tag ?? [...tagsOf(option)].find((value) => value !== undefined);
  return [{ ...finding, schema: option, loc: below(finding.loc, typeof label === 'number' ? label : String(label)) }];
}

// Zod reports a bad tag under the tag's key, pydantic under the union.
function isUntagged(issue: Issue): issue is z.core.$ZodIssueInvalidUnion {
  return issue.code === 'invalid_union' && issue.path.length === 1 && issue.path[0] === issue.discriminator;
}

function tagItem(issue: z.core.$ZodIssueInvalidUnion, { value, loc }: Finding): ValidationItem {
  const key = issue.discriminator ?? '';
  const discriminator = `'${key}'`;
  const tag = ownValue(value, key);
  if (tag === undefined) {
    const msg = `Unable to extract tag using discriminator ${discriminator}`;
    return { type: 'union_tag_not_found', loc, msg, input: value, ctx: { discriminator } };
  }
  const options = 'options' in issue ? (issue.options ?? []) : [];
  const expected_tags = options
    .filter((option) => option !== undefined)
    .map(pythonRepr)
    .join(', ');
  const shown = typeof tag === 'string' ? cut(tag) : typeof tag === 'object' && tag !== null ? '...' : pythonRepr(tag);
  const msg = `Input tag '${shown}' found using ${discriminator} does not match any of the expected tags: ${expected_tags}`;
  return { type: 'union_tag_invalid', loc, msg, input: value, ctx: { discriminator, tag: shown, expected_tags } };
}

function expandFields(finding: Finding): Step[] {
  const { schema, value, loc, issues } = finding;
  const own: Issue[] = [];
  const fields = new Map<PropertyKey, Issue[]>();
  for (const issue of issues) {
    const key = issue.path[0];
    if (key === undefined) own.push(issue);
    // Only the first fields and their first mistakes are reported, so a huge list of issues stays cheap.
    else if (fields.size < itemsMax || fields.has(key)) {
      const found = fields.get(key) ?? [];
      if (found.length === 0) fields.set(key, found);
      if (found.length < issuesPerFieldMax) found.push({ ...issue, path: issue.path.slice(1) });
    }
  }
  const item = (issue: Issue): ValidationItem => {
    const { type, msg, ctx } = describeIssue(issue, schema, value);
    return { type, loc, msg, input: value, ...(ctx && { ctx }) };
  };
  // The items of a list that is too long are not checked, nor the length of one with bad items.
  const overflow = Array.isArray(value) ? own.find((issue) => issue.code === 'too_big') : undefined;
  if (overflow) return [item(overflow)];
  const steps = [...fields].map(([key, found]) => expandField(finding, key, found));
  if (steps.length > 0 && Array.isArray(value)) return steps;

  const forbidden = own.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
  for (const key of forbidden.slice(0, itemsMax)) {
    const msg = 'Extra inputs are not permitted';
    steps.push({ type: 'extra_forbidden', loc: below(loc, key), msg, input: ownValue(value, key) });
  }
  // Pydantic reports only the first mistake of a value, and runs validators only on valid values.
  const [first] = own.filter((issue) => rankOf(issue) < customRank).sort((a, b) => rankOf(a) - rankOf(b));
  if (first) steps.push(...(isShortTuple(first, finding) ? missingElements(first, finding) : [item(first)]));
  if (steps.length === 0) steps.push(...own.filter((issue) => rankOf(issue) === customRank).map(item));
  return steps;
}

function expandField({ schema, value, loc }: Finding, key: PropertyKey, issues: Issue[]): Step {
  const fieldLoc = below(loc, key);
  const isObject = typeof value === 'object' && value !== null;
  // Text that a schema parses as an object has no fields to report.
  const field = isObject ? ownValue(value, key) : value;
  if (field === undefined && !Array.isArray(value) && issues.some((issue) => issue.code !== 'custom')) {
    // FastAPI parses each parameter separately, so outside a body there is no enclosing object.
    return missing(fieldLoc, loc.length === 1 && loc[0] !== 'body' ? null : value);
  }
  const [issue] = issues;
  if (issue?.code === 'invalid_key' && issue.path.length === 0) {
    const def = schema && defOf(schema);
    const keyType = def?.type === 'record' ? def.keyType : undefined;
    return { schema: keyType, value: String(key), loc: below(fieldLoc, '[key]'), issues: issue.issues };
  }
  return { schema: schema && childOf(schema, key), value: field, loc: fieldLoc, issues };
}

function isShortTuple(issue: Issue, { schema }: Finding): issue is z.core.$ZodIssueTooSmall {
  return issue.code === 'too_small' && schema !== undefined && defOf(schema).type === 'tuple';
}

function missingElements(issue: z.core.$ZodIssueTooSmall, { value, loc }: Finding): ValidationItem[] {
  const length = Array.isArray(value) ? value.length : 0;
  return Array.from({ length: Number(issue.minimum) - length }, (_, index) =>
    missing(below(loc, length + index), value),
  );
}

const customRank = 9;

// The order in which pydantic applies the constraints of one value.
function rankOf(issue: Issue): number {
  if (isBeyondSafeInteger(issue)) return 5;
  switch (issue.code) {
    case 'not_multiple_of':
      return 1;
    case 'too_big':
      return 2;
    case 'too_small':
      return 3;
    case 'invalid_format':
      return 4;
    case 'custom':
      return customRank;
    case 'unrecognized_keys':
      return Number.POSITIVE_INFINITY;
    default:
      return 0;
  }
}

function missing(loc: (string | number)[], input: unknown): ValidationItem {
  return { type: 'missing', loc, msg: 'Field required', input };
}

function ownValue(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<PropertyKey, unknown>)[key];
}

function below(loc: (string | number)[], key: PropertyKey): (string | number)[] {
  if (loc.length >= locLengthMax) return loc;
  return [...loc, typeof key === 'number' ? key : cut(String(key))];
}

function cut(text: string): string {
  return text.length > wordLengthMax ? `${text.slice(0, wordLengthMax)}…` : text;
}

// Measures a value as JSON up to the limit, so that a huge body stays cheap. Items often share an object: measured once.
function createSizeCheck(): (value: unknown) => boolean {
  const known = new Map<unknown, boolean>();
  return (value) => {
    const isSmall = known.get(value) ?? jsonBytesUpTo(value, inputBytesMax) <= inputBytesMax;
    known.set(value, isSmall);
    return isSmall;
  };
}

function jsonBytesUpTo(value: unknown, limit: number): number {
  const pending = [value];
  let bytes = 0;
  while (pending.length > 0 && bytes <= limit) {
    const next = pending.pop();
    if (typeof next === 'string') bytes += next.length > limit ? next.length : Buffer.byteLength(JSON.stringify(next));
    else if (typeof next !== 'object' || next === null) bytes += String(next).length;
    else {
      const keys = Array.isArray(next) ? [] : Object.keys(next);
      const length = Array.isArray(next) ? next.length : keys.length;
      // Brackets, commas and colons.
      bytes += Math.max(2, length + 1) + keys.length;
      if (bytes > limit) return bytes;
      const values: unknown[] = Array.isArray(next) ? next : Object.values(next);
      for (const part of keys) pending.push(part);
      for (const part of values) pending.push(part);
    }
  }
  return bytes;
}
