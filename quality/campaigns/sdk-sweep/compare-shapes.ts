import type { Shape } from './shapes.ts';

const DEPTH_MAX = 16;
/** Fields whose fixed values tell the variants of a union apart. */
const TAGS = ['type', 'role', 'event_type', 'object', 'event'];
/** How both SDKs mark what they could not parse; nobody sends it. */
const UNKNOWN = 'UNKNOWN';

type ObjectShape = Extract<Shape, { kind: 'object' }>;

/** Counts the fields that an SDK types, and names those that we do not have; `[]` stands for the items of a list. */
type Comparison = { fields: Set<string>; missing: Set<string> };

export type Part = 'query' | 'body' | 'response';

export function compareShapes(part: Part, sdk: Shape[], ours: Shape[]): Comparison {
  const found: Comparison = { fields: new Set(), missing: new Set() };
  // In a response we need not use every value that an SDK knows.
  const isRequest = part !== 'response';
  compare(sdk, ours, '', 0);
  return found;

  function compare(theirs: Shape[], own: Shape[], path: string, depth: number): void {
    if (depth > DEPTH_MAX || own.some(({ kind }) => kind === 'any')) return;
    for (const shape of theirs) {
      if (part === 'query' && depth > 0 && isWrittenOut(shape, own)) continue;
      switch (shape.kind) {
        case 'any':
          return;
        case 'scalar':
          if (isRequest) compareValues(shape.values, part === 'query' ? withItems(own) : own, path);
          break;
        case 'list': {
          const lists = own.flatMap((one) => (one.kind === 'list' ? [one] : []));
          if (lists.length === 0) found.missing.add(`${path}[]`);
          else
            compare(
              shape.item(),
              lists.flatMap((list) => list.item()),
              `${path}[]`,
              depth + 1,
            );
          break;
        }
        case 'object':
          compareObject(shape, own, path, depth);
      }
    }
  }

  function compareValues(values: readonly unknown[] | undefined, own: Shape[], path: string): void {
    const scalars = own.flatMap((one) => (one.kind === 'scalar' ? [one] : []));
    if (scalars.length === 0) found.missing.add(`${path} as a single value`);
    const allowed = scalars.flatMap((one) => one.values ?? []);
    if (!values || scalars.some((one) => one.values === undefined)) return;
    for (const value of values) if (!allowed.includes(value)) found.missing.add(`${path}=${String(value)}`);
  }

  function compareObject(shape: ObjectShape, own: Shape[], path: string, depth: number): void {
    if (shape.fields.has('is_unknown') || fixedValues(shape, 'type')?.includes(UNKNOWN)) return;
    const objects = own.flatMap((one) => (one.kind === 'object' ? [one] : []));
    const { matching, variant } = chooseVariant(shape, objects);
    if (matching.length === 0) {
      found.missing.add(`${path}${variant || '{}'}`);
      return;
    }
    // A variant within itself has the same fields again.
    if (variant && path.includes(variant)) return;
    const prefix = variant && objects.length > 1 ? `${path}${variant}` : path;
    for (const [name, field] of shape.fields) {
      const here = prefix === '' ? name : `${prefix}.${name}`;
      found.fields.add(here);
      const children = matching.flatMap((one) => {
        const child = one.fields.get(name) ?? one.rest;
        return child ? [child] : [];
      });
      if (children.length === 0) found.missing.add(here);
      else
        compare(
          field(),
          children.flatMap((child) => child()),
          here,
          depth + 1,
        );
    }
  }
}

/** In a query an object is JSON text, and one value of a list stands alone. */
function isWrittenOut(shape: Shape, own: Shape[]): boolean {
  return shape.kind === 'object' && own.some(({ kind }) => kind === 'scalar');
}

function withItems(own: Shape[]): Shape[] {
  return own.flatMap((one) => (one.kind === 'list' ? one.item() : [one]));
}

function chooseVariant(shape: ObjectShape, objects: ObjectShape[]): { matching: ObjectShape[]; variant: string } {
  for (const tag of TAGS) {
    const values = fixedValues(shape, tag);
    if (!values) continue;
    const matching = objects.filter((one) => {
      const own = fixedValues(one, tag);
      return own ? own.some((value) => values.includes(value)) : one.fields.has(tag) || one.rest !== undefined;
    });
    const isNamed = values.length === 1 && (tag === 'type' || tag === 'role' || tag === 'event_type');
    return { matching, variant: isNamed ? `{${tag}=${values[0]}}` : '' };
  }
  return { matching: objects, variant: '' };
}

/** Undefined for a field that may have any value, or is not there. */
function fixedValues(shape: ObjectShape, tag: string): unknown[] | undefined {
  const shapes = shape.fields.get(tag)?.() ?? [];
  const values = shapes.flatMap((one) => (one.kind === 'scalar' ? (one.values ?? []) : []));
  return values.length > 0 && shapes.some((one) => one.kind === 'scalar' && one.values) ? values : undefined;
}
