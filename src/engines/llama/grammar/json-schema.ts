import type { JsonSchema } from '../../engine.ts';
import { integerRange, numberRange } from './number-range.ts';
import { objectBody } from './object.ts';
import { TooExpensive } from './one-way/expression.ts';
import { patternToGrammar } from './pattern.ts';
import { either, literal, type Rules, repeat } from './rules.ts';
import { combineSchemas, isAnnotation, isSchema, listOf, numberOf, resolveReference } from './schema-parts.ts';

const depthMax = 24;
/** References may double what they refer to at each level. */
const visitsMax = 10_000;
const rulesMax = 3000;
/** Of arrays without a bound of their own: small models never end one by themselves. */
const itemsMax = 100;

export const SPACE = '" "?';
const CHARACTER = '([^"\\\\\\x00-\\x1F\\x7F] | "\\\\" ["\\\\/bfnrt] | "\\\\u00" [2-7] [0-9a-f])';
const DATE = '[0-9]{3} [1-9] "-" ("0" [1-9] | "1" [0-2]) "-" ("0" [1-9] | "1" [0-9] | "2" [0-8])';
const TIME = '("0" [0-9] | "1" [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9] ("." [0-9]{1,3})? "Z"';
const FORMATS: Record<string, string> = {
  date: DATE,
  time: TIME,
  'date-time': `${DATE} "T" ${TIME}`,
  uuid: '[0-9a-f]{8} "-" [0-9a-f]{4} "-4" [0-9a-f]{3} "-" [89ab] [0-9a-f]{3} "-" [0-9a-f]{12}',
  email: '[a-z0-9]{1,32} ("." [a-z0-9]{1,16})? "@" [a-z0-9]{1,32} "." [a-z]{2,6}',
  ipv4: '"192.0.2." [1-9] [0-9]?',
};

/**
 * GBNF for the JSON texts of a schema. It always describes a part of what the schema allows; what no grammar can express
 * (`not`, `if`, `uniqueItems`, `contains`, `propertyNames`, `dependentRequired`, bounds above 500, a pattern together with
 * lengths, look-around) is left out and must be checked afterwards.
 */
export function schemaToGrammar(rules: Rules, root: JsonSchema): string {
  const references = new Map<string, string>();
  let depth = 0;
  let visits = 0;
  return visit(root);

  function visit(schema: unknown): string {
    // Schemas that unfold into themselves without a plain reference end here.
    if (!isSchema(schema) || depth > depthMax || rules.size() > rulesMax) return anyValue(rules);
    if (++visits > visitsMax) throw new TooExpensive('Its references unfold into too many parts.');
    depth++;
    try {
      return visitSchema(schema);
    } finally {
      depth--;
    }
  }

  function visitSchema(schema: JsonSchema): string {
    if (typeof schema.$ref === 'string') return reference(schema.$ref, schema);
    if ('const' in schema) return literal(JSON.stringify(schema.const));
    if (Array.isArray(schema.enum)) return either(schema.enum.map((value) => literal(JSON.stringify(value))));
    if (Array.isArray(schema.allOf)) return visit(combineSchemas(schema, 'allOf', listOf(schema.allOf), root));
    const choice = Array.isArray(schema.anyOf) ? 'anyOf' : Array.isArray(schema.oneOf) ? 'oneOf' : undefined;
    if (choice !== undefined) {
      const { [choice]: _, ...own } = schema;
      const branches = listOf(schema[choice]).map((branch) =>
        visit(isAnnotation(own) ? branch : combineSchemas(schema, choice, [branch], root)),
      );
      return rules.add(either(branches), 'either');
    }
    if (Array.isArray(schema.type)) return either(schema.type.map((type) => visitType({ ...schema, type }, type)));
    return visitType(schema, schema.type ?? impliedType(schema));
  }

  function reference(pointer: string, schema: JsonSchema): string {
    const known = references.get(pointer);
    if (known !== undefined) return known;
    const target = resolveReference(root, pointer);
    if (target === undefined) return anyValue(rules);
    const { $ref: _, $defs: __, definitions: ___, ...beside } = schema;
    if (!isAnnotation(beside)) return visit(combineSchemas(beside, 'allOf', [target], root));
    const rule = rules.reserve('ref');
    references.set(pointer, rule.name);
    rule.define(visit(target));
    return rule.name;
  }

  function visitType(schema: JsonSchema, type: unknown): string {
    switch (type) {
      case 'string':
        return rules.add(stringBody(schema), 'string');
      case 'integer':
        return rules.add(
          integerRange(schema, numberOf(schema.multipleOf)) ?? '"-"? ("0" | [1-9] [0-9]{0,14})',
          'integer',
        );
      case 'number':
        return rules.add(numberBody(schema), 'number');
      case 'boolean':
        return '("true" | "false")';
      case 'null':
        return '"null"';
      case 'array':
        return rules.add(arrayBody(schema), 'array');
      case 'object':
        return rules.add(objectBody(rules, schema, visit), 'object');
      default:
        return anyValue(rules);
    }
  }

  function arrayBody(schema: JsonSchema): string {
    const first = Array.isArray(schema.prefixItems) ? schema.prefixItems.map(visit) : [];
    const min = Math.max(numberOf(schema.minItems) ?? 0, 0);
    const max = numberOf(schema.maxItems) ?? Math.max(itemsMax, min);
    if (first.length > 0) {
      const count = Math.min(first.length, max);
      return `"[" ${first.slice(0, count).join(` "," ${SPACE} `)} "]"`;
    }
    if (max === 0 || schema.items === false) return '"[" "]"';
    const item = visit(schema.items ?? true);
    const more = repeat(`("," ${SPACE} ${item})`, Math.max(min - 1, 0), max - 1);
    return min > 0 ? `"[" ${item} ${more} "]"` : `"[" (${item} ${more})? "]"`;
  }
}

function stringBody(schema: JsonSchema): string {
  const pattern = typeof schema.pattern === 'string' ? patternToGrammar(schema.pattern) : undefined;
  if (pattern !== undefined) return `"\\"" ${pattern} "\\""`;
  const format = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined;
  if (format !== undefined) return `"\\"" ${format} "\\""`;
  return `"\\"" ${repeat(CHARACTER, numberOf(schema.minLength) ?? 0, numberOf(schema.maxLength))} "\\""`;
}

function numberBody(schema: JsonSchema): string {
  const isBounded = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].some(
    (key) => key in schema,
  );
  const range = isBounded ? numberRange(schema, numberOf(schema.multipleOf)) : undefined;
  return range ?? '"-"? ("0" | [1-9] [0-9]{0,14}) ("." [0-9]{1,15})?';
}

function impliedType(schema: JsonSchema): string | undefined {
  if ('properties' in schema || 'additionalProperties' in schema || 'required' in schema) return 'object';
  if ('items' in schema || 'prefixItems' in schema || 'minItems' in schema) return 'array';
  if ('pattern' in schema || 'minLength' in schema || 'maxLength' in schema || 'format' in schema) return 'string';
  if ('minimum' in schema || 'maximum' in schema || 'multipleOf' in schema) return 'number';
  return undefined;
}

/** Any JSON object, for `json_object` and for tools without a schema. */
export function anyObject(rules: Rules): string {
  return rules.add(`"{" (${member(rules)} ("," ${SPACE} ${member(rules)})*)? "}"`, 'any-object');
}

function member(rules: Rules): string {
  return `"\\"" ${CHARACTER}* "\\"" ":" ${SPACE} ${anyValue(rules)}`;
}

const ANY_VALUE = new WeakMap<Rules, string>();

function anyValue(rules: Rules): string {
  const known = ANY_VALUE.get(rules);
  if (known !== undefined) return known;
  const rule = rules.reserve('any-value');
  ANY_VALUE.set(rules, rule.name);
  const string = rules.add(stringBody({}), 'string');
  const number = rules.add(numberBody({}), 'number');
  const list = `"[" (${rule.name} ("," ${SPACE} ${rule.name})*)? "]"`;
  rule.define(`${string} | ${number} | "true" | "false" | "null" | ${list} | ${anyObject(rules)}`);
  return rule.name;
}
