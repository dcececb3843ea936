import { ValidationFailed, type ValidationItem } from '../kit/http/index.ts';
import { type Check, compileSchema, type JsonSchema } from '../kit/json-schema/index.ts';
import { workflowErrors } from './errors.ts';

type Mistake = NonNullable<Check['errors']>[number];

/** Pydantic's types for the most common mistakes; all others use the code of the catalogue. */
const TYPES: Record<string, string> = {
  string: 'string_type',
  integer: 'int_type',
  number: 'float_type',
  boolean: 'bool_type',
  object: 'dict_type',
  array: 'list_type',
};

/** Throws a 422 when the value does not match the schema, which was validated at registration. */
export function checkInput(schema: JsonSchema, value: unknown, loc: (string | number)[]): void {
  const check = compileSchema(schema);
  if (!check || check(value)) return;
  throw new ValidationFailed((check.errors ?? []).map((mistake) => describe(mistake, value, loc)));
}

/** Forbids unknown properties unless the schema says something about them. */
export function closed(schema: JsonSchema): JsonSchema {
  const isOpen = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'].some((key) => key in schema);
  return isOpen || !('properties' in schema) ? schema : { ...schema, unevaluatedProperties: false };
}

function describe(
  { keyword, instancePath, params, message }: Mistake,
  value: unknown,
  loc: (string | number)[],
): ValidationItem {
  const path = instancePath.split('/').slice(1).map(unescapePointer);
  const at = [...loc, ...path.map((part) => (/^\d+$/.test(part) ? Number(part) : part))];
  const input = path.reduce<unknown>((inner, part) => (inner as Record<string, unknown> | undefined)?.[part], value);
  const { missingProperty, additionalProperty, unevaluatedProperty, type } = params as Record<
    string,
    string | undefined
  >;
  if (keyword === 'required' && missingProperty !== undefined)
    return { type: 'missing', loc: [...at, missingProperty], msg: 'Field required', input };
  const extra = additionalProperty ?? unevaluatedProperty;
  if (extra !== undefined)
    return { type: 'extra_forbidden', loc: [...at, extra], msg: 'Extra inputs are not permitted', input };
  const known = keyword === 'type' && typeof type === 'string' ? TYPES[type] : undefined;
  const item = workflowErrors.input_not_valid.item(at, message ?? 'This does not match the schema.', input);
  return known ? { ...item, type: known } : item;
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
