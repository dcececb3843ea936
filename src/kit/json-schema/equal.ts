import { type Budget, SPENT } from './budget.ts';

const DEPTH_MAX = 1000;

/** Deep equality as JSON has it: the order of keys does not matter. */
export function isEqual(a: unknown, b: unknown, budget: Budget, depth = 0): boolean {
  budget.spend(1);
  if (a === b) {
    if (typeof a === 'string') budget.spend(a.length >> 5);
    return true;
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (depth > DEPTH_MAX) throw SPENT;
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => isEqual(item, b[index], budget, depth + 1))
    );
  const keys = Object.keys(a);
  budget.spend(keys.length);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key as never], b[key as never], budget, depth + 1));
}

/** A text that two values share only if they are equal. */
export function canonicalText(value: unknown, budget: Budget): string {
  const parts: string[] = [];
  write(value, 0);
  return parts.join('');

  function write(part: unknown, depth: number): void {
    budget.spend(16);
    if (typeof part !== 'object' || part === null) {
      if (typeof part === 'string') budget.spend(part.length >> 1);
      parts.push(JSON.stringify(part));
      return;
    }
    if (depth > DEPTH_MAX) throw SPENT;
    if (Array.isArray(part)) {
      parts.push('[');
      for (const item of part) {
        write(item, depth + 1);
        parts.push(',');
      }
      parts.push(']');
      return;
    }
    parts.push('{');
    const keys = Object.keys(part).sort();
    budget.spend(keys.length * 24);
    for (const key of keys) {
      budget.spend(key.length >> 2);
      parts.push(JSON.stringify(key), ':');
      write(part[key as never], depth + 1);
      parts.push(',');
    }
    parts.push('}');
  }
}
