import { ValidationFailed, type ValidationItem } from '../kit/http/index.ts';
import { type Check, compileSchema, type JsonSchema } from '../kit/json-schema/index.ts';

type Mistake = NonNullable<Check['errors']>[number];

/** Words of pydantic's for the commonest mistakes; the others are told in the validator's own words. */
const TYPES: Record<string, string> = {
  string: 'string_type',
  integer: 'int_type',
  number: 'float_type',
  boolean: 'bool_type',
  object: 'dict_type',
  array: 'list_type',
};

/** Throws a 422 when the value does not fit the schema, which was found sound when it was registered. */
export function checkInput(schema: JsonSchema, value: unknown, loc: (string | number)[]): void {
  const check = compileSchema(schema);
  if (!check || check(value)) return;
  throw new ValidationFailed((check.errors ?? []).map((mistake) => describe(mistake, value, loc)));
}

/** A handler takes what it names and nothing else, unless its schema says what else it takes. */
export function closed(schema: JsonSchema): JsonSchema {
  const says = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'].some((key) => key in schema);
  return says || !('properties' in schema) ? schema : { ...schema, unevaluatedProperties: false };
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
  return {
    type: known ?? 'value_error',
    loc: at,
    msg: `Value error, ${message ?? 'this does not fit the schema'}`,
    input,
  };
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
