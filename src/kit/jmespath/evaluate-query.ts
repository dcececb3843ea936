import { callFunction } from './functions.ts';
import type { Comparison, Node } from './parse-query.ts';
import { Reference, type Steps } from './steps.ts';
import { isEqual, isObject, isTrue } from './values.ts';

export function evaluateQuery(node: Node, value: unknown, steps: Steps): unknown {
  const find = (inner: Node, of: unknown) => evaluateQuery(inner, of, steps);
  steps.spend();
  switch (node.type) {
    case 'current':
      return value;
    case 'literal':
      return node.value;
    case 'field':
      return isObject(value) && Object.hasOwn(value, node.name) ? (value[node.name] ?? null) : null;
    case 'index': {
      const list = find(node.left, value);
      return Array.isArray(list) ? (list.at(node.index) ?? null) : null;
    }
    case 'slice':
      return slice(find(node.left, value), node, steps);
    case 'then':
      return find(node.right, find(node.left, value));
    case 'or': {
      const left = find(node.left, value);
      return isTrue(left) ? left : find(node.right, value);
    }
    case 'and': {
      const left = find(node.left, value);
      return isTrue(left) ? find(node.right, value) : left;
    }
    case 'not':
      return !isTrue(find(node.inner, value));
    case 'compare':
      return compare(node.by, find(node.left, value), find(node.right, value), steps);
    case 'flatten':
      return flatten(find(node.left, value), steps);
    case 'each': {
      const items = itemsOf(find(node.left, value), node.of);
      if (!items) return null;
      const found: unknown[] = [];
      for (const item of items) {
        steps.spend();
        if (node.filter && !isTrue(find(node.filter, item))) continue;
        const one = find(node.right, item);
        if (one !== null) found.push(one);
      }
      return found;
    }
    case 'list':
      return value === null ? null : node.items.map((item) => find(item, value));
    case 'object':
      return value === null
        ? null
        : Object.fromEntries(node.members.map(([name, member]) => [name, find(member, value)]));
    case 'reference':
      return new Reference((of) => find(node.inner, of));
    case 'call':
      return callFunction(
        node.name,
        node.parameters.map((parameter) => find(parameter, value)),
        steps,
      );
  }
}

function itemsOf(value: unknown, of: 'items' | 'values'): unknown[] | undefined {
  if (of === 'items') return Array.isArray(value) ? value : undefined;
  return isObject(value) ? Object.values(value) : undefined;
}

function flatten(value: unknown, steps: Steps): unknown[] | null {
  if (!Array.isArray(value)) return null;
  const flat: unknown[] = [];
  for (const item of value) {
    steps.spend(Array.isArray(item) ? item.length + 1 : 1);
    if (Array.isArray(item)) for (const inner of item) flat.push(inner);
    else flat.push(item);
  }
  return flat;
}

function compare(by: Comparison, left: unknown, right: unknown, steps: Steps): boolean | null {
  if (by === '==') return isEqual(left, right, steps);
  if (by === '!=') return !isEqual(left, right, steps);
  if (typeof left !== 'number' || typeof right !== 'number') return null;
  if (by === '<') return left < right;
  if (by === '<=') return left <= right;
  return by === '>' ? left > right : left >= right;
}

type Range = { start: number | null; stop: number | null; step: number | null };

/** As in Python: negative places count from the end, and a negative step goes backwards. */
function slice(list: unknown, range: Range, steps: Steps): unknown[] | null {
  if (!Array.isArray(list)) return null;
  const step = range.step ?? 1;
  const [lowest, highest] = step > 0 ? [0, list.length] : [-1, list.length - 1];
  const place = (at: number | null, otherwise: number) =>
    at === null ? otherwise : Math.min(Math.max(at < 0 ? at + list.length : at, lowest), highest);
  const start = place(range.start, step > 0 ? lowest : highest);
  const stop = place(range.stop, step > 0 ? highest : lowest);
  const found: unknown[] = [];
  for (let at = start; step > 0 ? at < stop : at > stop; at += step) {
    steps.spend();
    found.push(list[at]);
  }
  return found;
}
