import type { Schema as SampledSchema } from '../tenants/operations.ts';
import { sampleOf } from '../tenants/sample.ts';

export type Schema = SampledSchema & {
  maxLength?: number;
  maxItems?: number;
  maximum?: number;
  maxProperties?: number;
  additionalProperties?: Schema | boolean;
  default?: unknown;
};
type Resolve = (schema: Schema) => Schema;

/** Fields without a limit of their own get this much. */
const TEXT_DEFAULT = 20_000;
const ITEMS_DEFAULT = 200;
const KEYS = 16;
const DEPTH_MAX = 10;

type Budget = { characters: number };

/**
 * A random value that the schema allows, where some fields are as large as their limits allow and the others are small
 * or left out. `bytes` bounds the whole.
 */
export function edgeValue(schema: Schema, resolve: Resolve, random: () => number, bytes: number): unknown {
  const budget: Budget = { characters: bytes };
  // One request rarely has all fields at their limits: each request favours large, long or deep values.
  const taste = random();
  return build(schema, 0, '');

  function build(given: Schema, depth: number, name: string): unknown {
    const one = pickShape(resolve(given) as Schema);
    if (one.const !== undefined) return one.const;
    if (one.enum) return one.enum[Math.floor(random() * one.enum.length)];
    switch ([one.type].flat().find((type) => type !== 'null')) {
      case 'object':
        return object(one, depth);
      case 'array':
        return list(one, depth, name);
      case 'string':
        return text(one, name);
      case 'integer':
      case 'number':
        return random() < 0.5 && one.maximum !== undefined ? one.maximum : sampleOf(one, resolve as never, [], name);
      case 'boolean':
        return random() < 0.5;
      default:
        return sampleOf(one, resolve as never, [], name);
    }
  }

  function pickShape(one: Schema): Schema {
    const shapes = (one.anyOf ?? one.oneOf ?? one.allOf ?? []).map((shape) => resolve(shape) as Schema);
    const useful = shapes.filter(({ type }) => type !== 'null');
    return useful.length === 0 ? one : pickShape(useful[Math.floor(random() * useful.length)] ?? one);
  }

  function object(one: Schema, depth: number): Record<string, unknown> {
    const properties = Object.entries(one.properties ?? {}) as [string, Schema][];
    const required = new Set(one.required ?? []);
    const made: Record<string, unknown> = {};
    for (const [key, schema] of properties) {
      const isTag = resolve(schema).const !== undefined;
      if (required.has(key) || isTag || (depth < DEPTH_MAX && budget.characters > 0 && random() < 0.3))
        made[key] = build(schema, depth + 1, key);
    }
    const open = one.additionalProperties;
    if (typeof open === 'object' && Object.keys(made).length === 0 && depth < DEPTH_MAX)
      for (let index = 0; index < Math.min(KEYS, one.maxProperties ?? KEYS); index++)
        made[`key${index}`] = build(open, depth + 1, '');
    return made;
  }

  function list({ items = {}, minItems = 0, maxItems }: Schema, depth: number, name: string): unknown[] {
    const most = depth < DEPTH_MAX && random() < taste ? Math.min(maxItems ?? ITEMS_DEFAULT, 2000) : 1;
    const made: unknown[] = [];
    while (made.length < Math.max(minItems, most) && (made.length < minItems || budget.characters > 0)) {
      budget.characters -= 8;
      made.push(build(items, depth + 1, name));
    }
    return made;
  }

  function text(one: Schema, name: string): string {
    const small = String(sampleOf(one, resolve as never, [], name));
    if (one.format !== undefined || random() < 0.6) return small;
    const length = Math.min(one.maxLength ?? TEXT_DEFAULT, Math.max(1, Math.floor(budget.characters)));
    budget.characters -= length;
    return PATTERNS[Math.floor(random() * PATTERNS.length)]?.(length) ?? small;
  }
}

/** Texts that cost more than others: escapes in JSON, several bytes per character, markup. */
const PATTERNS: ((length: number) => string)[] = [
  (length) => 'x'.repeat(length),
  (length) => '"\\'.repeat(Math.floor(length / 2)),
  (length) => 'ж'.repeat(length),
  (length) => '{{a}} '.repeat(Math.ceil(length / 6)).slice(0, length),
  (length) => '[('.repeat(Math.floor(length / 2)),
];
