import type { TimelineEvent } from './read-messages.ts';

type Patch = { op: string; path: string; value?: unknown };
type Container = Record<string, unknown>;

/** The state of a custom task: the first event has all of it, later ones JSON patches. */
export function foldProgress(events: readonly TimelineEvent[]): unknown {
  let state: unknown;
  for (const { attributes } of events) {
    if (!('payload' in attributes) || !attributes.payload) continue;
    const { type, value } = attributes.payload;
    if (type === 'json') state = structuredClone(value);
    else if (Array.isArray(value)) for (const patch of value) state = apply(state, patch);
  }
  return state;
}

/** Skips a patch that does not apply. */
function apply(state: unknown, { op, path, value }: Patch): unknown {
  const parts = path.split('/').slice(1).map(unescapePart);
  const last = parts.pop();
  if (last === undefined) return op === 'remove' ? undefined : op === 'append' ? `${state ?? ''}${value}` : value;
  const target = parts.reduce<unknown>((at, part) => (at as Container | undefined)?.[part], state);
  if (typeof target !== 'object' || target === null) return state;
  if (Array.isArray(target)) applyToList(target, last, op, value);
  else applyToObject(target as Container, last, op, value);
  return state;
}

function applyToObject(target: Container, key: string, op: string, value: unknown): void {
  if (op === 'remove') delete target[key];
  else if (op === 'append') target[key] = `${target[key] ?? ''}${value}`;
  else target[key] = value;
}

function applyToList(target: unknown[], part: string, op: string, value: unknown): void {
  const at = part === '-' ? target.length : Number(part);
  if (op === 'add') target.splice(at, 0, value);
  else if (op === 'remove') target.splice(at, 1);
  else if (op === 'append') target[at] = `${target[at] ?? ''}${value}`;
  else target[at] = value;
}

function unescapePart(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
