import type { Schema } from './operations.ts';

export type Path = readonly string[];
type Resolve = (schema: Schema) => Schema;

/** Texts that satisfy a pattern or a rule beyond the schema, by property name. */
const TEXTS: Record<string, string> = {
  email: 'somebody@trust.test',
  emails: 'somebody@trust.test',
  sample_audio: '',
  execution_token_hash: '0'.repeat(64),
  password: 'correct horse battery',
};
const NOWHERE = '00000000-0000-4000-8000-000000000000';
const DEPTH_MAX = 24;
const TAGS = new Set(['type', 'role', 'event_type', 'op']);

/** The smallest value that a schema allows, including everything along `path`; `[]` is an item of a list. */
export function sampleOf(schema: Schema, resolve: Resolve, path: Path = [], name = '', depth = 0): unknown {
  if (depth > DEPTH_MAX) return null;
  const one = choose(resolve(schema), resolve, path);
  if (one.const !== undefined) return one.const;
  if (one.enum) return one.enum[0];
  switch (typeOf(one)) {
    case 'object':
      return sampleObject(one, resolve, path, depth);
    case 'array': {
      const items = one.items ?? {};
      const count = Math.max(one.minItems ?? 0, path[0] === '[]' ? 1 : 0);
      return Array.from({ length: count }, () => sampleOf(items, resolve, path.slice(1), name, depth + 1));
    }
    case 'string':
      return sampleText(one, name);
    case 'integer':
    case 'number':
      return Math.max(one.minimum ?? 0, one.exclusiveMinimum === undefined ? 0 : one.exclusiveMinimum + 1);
    case 'boolean':
      return false;
    default:
      return null;
  }
}

function sampleObject(one: Schema, resolve: Resolve, [next, ...rest]: Path, depth: number): Record<string, unknown> {
  const properties = one.properties ?? {};
  // Most discriminators have a default, but a value without one matches no variant.
  const tags = Object.keys(properties).filter(
    (key) => TAGS.has(key) && resolve(properties[key] ?? {}).const !== undefined,
  );
  const wanted = new Set([...tags, ...(one.required ?? []), ...(next && next in properties ? [next] : [])]);
  return Object.fromEntries(
    [...wanted].map((key) => [key, sampleOf(properties[key] ?? {}, resolve, key === next ? rest : [], key, depth + 1)]),
  );
}

function sampleText({ format, minLength = 0 }: Schema, name: string): string {
  if (format === 'uuid') return NOWHERE;
  if (format === 'date-time') return '2026-01-01T00:00:00Z';
  return TEXTS[name] ?? 'x'.repeat(Math.max(1, minLength));
}

/** Of several variants the first that contains the path, else the first that is not null. */
function choose(schema: Schema, resolve: Resolve, path: Path): Schema {
  const shapes = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].map(resolve);
  if (shapes.length === 0) return schema;
  const fitting = shapes.find((shape) => leadsThrough(shape, resolve, path, 0) && typeOf(shape) !== 'null');
  return choose(fitting ?? shapes[0] ?? {}, resolve, path);
}

function leadsThrough(schema: Schema, resolve: Resolve, [next, ...rest]: Path, depth: number): boolean {
  if (next === undefined) return true;
  if (depth > DEPTH_MAX) return false;
  const one = resolve(schema);
  const shapes = [...(one.anyOf ?? []), ...(one.oneOf ?? []), ...(one.allOf ?? [])];
  if (shapes.some((shape) => leadsThrough(shape, resolve, [next, ...rest], depth + 1))) return true;
  const inner = next === '[]' ? one.items : one.properties?.[next];
  return inner !== undefined && leadsThrough(inner, resolve, rest, depth + 1);
}

function typeOf({ type, properties, items }: Schema): string | undefined {
  const named = Array.isArray(type) ? type.find((one) => one !== 'null') : type;
  return named ?? (properties ? 'object' : items ? 'array' : undefined);
}

/** Every property that a schema can hold, by its path; each path once, whatever variants share it. */
export function listPaths(schema: Schema, resolve: Resolve): Path[] {
  const found = new Map<string, Path>();
  walk(schema, [], 0);
  return [...found.values()];

  function walk(given: Schema, path: Path, depth: number): void {
    if (depth > DEPTH_MAX) return;
    const one = resolve(given);
    for (const shape of [...(one.anyOf ?? []), ...(one.oneOf ?? []), ...(one.allOf ?? [])])
      walk(shape, path, depth + 1);
    if (one.items) walk(one.items, [...path, '[]'], depth + 1);
    for (const [name, property] of Object.entries(one.properties ?? {})) {
      const way = [...path, name];
      // A recursive schema, such as the cause of a failure, is visited once.
      if (path.filter((part) => part === name).length > 0) continue;
      found.set(way.join('.'), way);
      walk(property, way, depth + 1);
    }
  }
}

/** The same value with something else at one path; lists along the way get one item. */
export function put(value: unknown, [next, ...rest]: Path, what: unknown): unknown {
  if (next === undefined) return Array.isArray(value) && !Array.isArray(what) ? [what] : what;
  if (next === '[]') {
    const [first, ...others] = Array.isArray(value) ? value : [];
    return [put(first, rest, what), ...others];
  }
  const object = (value ?? {}) as Record<string, unknown>;
  return { ...object, [next]: put(object[next], rest, what) };
}
