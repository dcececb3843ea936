import { requestErrors, ValidationFailed, type ValidationItem } from '../kit/http/index.ts';
import { type JsonSchema, type Mistake, prepareSchema } from '../kit/json-schema/index.ts';
import { workflowErrors } from './errors.ts';

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
  const prepared = prepareSchema(schema);
  if (prepared === 'invalid') return;
  const verdict = prepared === 'too_expensive' ? prepared : prepared.check(value);
  if (verdict === 'valid') return;
  if (prepared === 'too_expensive' || verdict === 'too_expensive')
    throw requestErrors.schema_too_expensive(
      loc,
      'Checking this by the input schema of the workflow takes too much work.',
    );
  throw new ValidationFailed(prepared.explain(value).map((mistake) => describe(mistake, value, loc)));
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
  const item = workflowErrors.input_not_valid.item(at, message, input);
  return known ? { ...item, type: known } : item;
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
