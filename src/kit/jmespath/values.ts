import type { Steps } from './steps.ts';

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Empty texts, lists and objects count as false; 0 does not. */
export function isTrue(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object') for (const _ in value) return true;
  return typeof value !== 'object';
}

export function isEqual(left: unknown, right: unknown, steps: Steps): boolean {
  steps.spend(typeof left === 'string' ? 1 + left.length / 64 : 1);
  if (left === right) return true;
  if (Array.isArray(left))
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => isEqual(item, right[index], steps))
    );
  if (!isObject(left) || !isObject(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isEqual(left[name], right[name], steps))
  );
}
