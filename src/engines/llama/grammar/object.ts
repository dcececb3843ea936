import type { JsonSchema } from '../../engine.ts';
import { either, literal, type Rules, repeat } from './rules.ts';
import { isSchema, numberOf } from './schema-parts.ts';

type Visit = (schema: unknown) => string;
type Property = { body: string; isRequired: boolean };

/**
 * An object with its properties in the order of the schema, the optional ones present or not. Properties that the
 * schema does not name are only made where it names none.
 */
export function objectBody(rules: Rules, schema: JsonSchema, visit: Visit): string {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [];
  const unnamed = required.filter((name) => !Object.hasOwn(properties, name));
  const named: Property[] = [
    ...Object.entries(properties).map(([name, value]) => property(name, value, required.includes(name))),
    ...unnamed.map((name) => property(name, schema.additionalProperties, true)),
  ];
  if (named.length === 0) return mapBody(schema, visit);
  return `"{" ${members(rules, named)} "}"`;

  function property(name: string, value: unknown, isRequired: boolean): Property {
    return { body: rules.add(`${literal(JSON.stringify(name))} ":" " "? ${visit(value)}`, 'member'), isRequired };
  }
}

/** Which of so many follow one another is told apart by a rule for each two of them. */
const orderedMax = 16;

/** One rule per property and per answer to "is there one before it?", so the grammar stays as long as the schema. */
function members(rules: Rules, properties: Property[]): string {
  const optional = properties.filter(({ isRequired }) => !isRequired);
  if (optional.length > orderedMax) return unorderedMembers(rules, properties, optional);
  let afterSome = '""';
  let afterNone = '""';
  for (const { body, isRequired } of properties.toReversed()) {
    const next = `"," " "? ${body} ${afterSome}`;
    const first = `${body} ${afterSome}`;
    const skipNone = afterNone;
    const skipSome = afterSome;
    afterSome = rules.add(isRequired ? next : `${next} | ${skipSome}`, 'more');
    afterNone = rules.add(isRequired ? first : `${first} | ${skipNone}`, 'first');
  }
  return afterNone;
}

/** Many optional properties come after the required ones in any order, as often as the model likes. */
function unorderedMembers(rules: Rules, properties: Property[], optional: Property[]): string {
  const any = rules.add(either(optional.map(({ body }) => body)), 'optional');
  const more = `("," " "? ${any})*`;
  const required = properties.filter(({ isRequired }) => isRequired).map(({ body }) => body);
  return required.length > 0 ? `${required.join(' "," " "? ')} ${more}` : `(${any} ${more})?`;
}

function mapBody(schema: JsonSchema, visit: Visit): string {
  const max = numberOf(schema.maxProperties);
  const patterns = isSchema(schema.patternProperties) || isSchema(schema.propertyNames);
  if (schema.additionalProperties === false || max === 0 || patterns) return '"{" "}"';
  const value = visit(schema.additionalProperties ?? true);
  const entry = `"\\"" [a-zA-Z_] [a-zA-Z0-9_]{0,39} "\\"" ":" " "? ${value}`;
  const min = numberOf(schema.minProperties) ?? 0;
  const more = repeat(`("," " "? ${entry})`, Math.max(min - 1, 0), max === undefined ? undefined : max - 1);
  return min > 0 ? `"{" ${entry} ${more} "}"` : `"{" (${entry} ${more})? "}"`;
}
