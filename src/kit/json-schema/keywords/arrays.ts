import { addStep, addUnevaluated, type Node } from '../node.ts';
import { forget, noted, refuse, visitChild } from '../visit.ts';
import { type Building, isBoolean, isCount, type Keyword } from './keyword.ts';
import { hasDuplicates } from './values.ts';

function count(keyword: string, word: string, isWithin: (count: number, bound: number) => boolean): Keyword {
  return {
    accepts: isCount,
    build({ node }, bound: number) {
      addStep(
        node,
        'arrays',
        (run, items) =>
          isWithin(items.length, bound) ||
          refuse(run, keyword, () => `must NOT have ${word} than ${bound} items`, { limit: bound }),
      );
    },
  };
}

function addPrefix({ node, child }: Building, schemas: unknown[]): void {
  const nodes = schemas.map(child);
  addStep(node, 'arrays', (run, items, seen) => {
    const end = Math.min(nodes.length, items.length);
    for (let at = 0; at < end; at++) if (!visitChild(run, nodes[at] as Node, items[at], at)) return false;
    if (seen) seen.items = Math.max(seen.items, end);
    return true;
  });
}

/** For the items from `start` on. */
function addRest({ node, child }: Building, schema: unknown, start: number): void {
  const rest = child(schema);
  addStep(node, 'arrays', (run, items, seen) => {
    if (rest.raw === false && items.length > start)
      return refuse(run, 'items', () => `must NOT have more than ${start} items`, { limit: start });
    for (let at = start; at < items.length; at++) if (!visitChild(run, rest, items[at], at)) return false;
    if (seen) seen.items = Math.max(seen.items, items.length);
    return true;
  });
}

function addContains(building: Building, schema: unknown, min: number, max: number): void {
  const { node, child, isNewest } = building;
  const inner = child(schema);
  addStep(node, 'arrays', (run, items, seen) => {
    const since = noted(run);
    const marks = isNewest ? seen : undefined;
    let found = 0;
    for (let at = 0; at < items.length && (marks || found <= max); at++) {
      if (!marks && found >= min && max === Infinity) break;
      if (!visitChild(run, inner, items[at], at)) continue;
      found += 1;
      marks?.indexes.add(at);
    }
    forget(run, since);
    if (found >= min && found <= max) return true;
    const most = max === Infinity ? '' : ` and no more than ${max}`;
    return refuse(run, 'contains', () => `must contain at least ${min}${most} valid item(s)`, { minContains: min });
  });
}

export const arrayKeywords: Record<string, Keyword> = {
  maxItems: count('maxItems', 'more', (items, bound) => items <= bound),
  minItems: count('minItems', 'fewer', (items, bound) => items >= bound),
  uniqueItems: {
    accepts: isBoolean,
    build({ node }, isUnique: boolean) {
      if (!isUnique) return;
      addStep(
        node,
        'arrays',
        (run, items) =>
          !hasDuplicates(items, run.budget) || refuse(run, 'uniqueItems', 'must NOT have duplicate items'),
      );
    },
  },
};

export const newestArrayKeywords: Record<string, Keyword> = {
  prefixItems: { holds: 'list', build: addPrefix },
  items: {
    holds: 'schema',
    build: (at, schema: unknown) =>
      addRest(at, schema, Array.isArray(at.beside.prefixItems) ? at.beside.prefixItems.length : 0),
  },
};

/** Before draft 2020-12 `items` may be a list, and `additionalItems` is about the rest. */
export const olderArrayKeywords: Record<string, Keyword> = {
  items: {
    holds: 'schema or list',
    build: (at, schema: unknown) => (Array.isArray(schema) ? addPrefix(at, schema) : addRest(at, schema, 0)),
  },
  additionalItems: {
    holds: 'schema',
    build(at, schema: unknown) {
      const { items } = at.beside;
      if (Array.isArray(items)) addRest(at, schema, items.length);
    },
  },
};

export const contains: Keyword = {
  holds: 'schema',
  build: (at, schema: unknown) => addContains(at, schema, 1, Infinity),
};

export const boundedContains: Record<string, Keyword> = {
  contains: {
    holds: 'schema',
    build(at, schema: unknown) {
      const { minContains = 1, maxContains = Infinity } = at.beside as Record<string, number>;
      addContains(at, schema, minContains, maxContains);
    },
  },
  minContains: { accepts: isCount },
  maxContains: { accepts: isCount },
  unevaluatedItems: {
    holds: 'schema',
    build({ node, child }, schema: unknown) {
      const inner = child(schema);
      addUnevaluated(node, (run, items, seen) => {
        if (!Array.isArray(items) || !seen) return true;
        for (let at = seen.items; at < items.length; at++) {
          if (seen.indexes.has(at)) continue;
          if (inner.raw === false)
            return refuse(run, 'unevaluatedItems', () => `must NOT have more than ${at} items`, { limit: at });
          if (!visitChild(run, inner, items[at], at)) return false;
        }
        seen.items = items.length;
        return true;
      });
    },
  },
};
