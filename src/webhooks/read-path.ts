import type { IncomingHttpHeaders } from 'node:http';

const SEGMENTS_MAX = 16;
const PATH = /^(?:headers\.[A-Za-z0-9_-]+|body(?:\.[^.|\s]+)+)$/;

/** What a path is looked up in. */
export type Delivered = { headers: IncomingHttpHeaders; body: unknown };

/** `headers.X-Name` or `body.some.place.0`, alternatives separated by `||`. */
export function isPath(path: string): boolean {
  return path.split('||').every((one) => PATH.test(one.trim()) && one.split('.').length <= SEGMENTS_MAX);
}

/** The first of the alternatives that is a text or a number. */
export function readPath(path: string, delivered: Delivered): string | undefined {
  for (const one of path.split('||')) {
    const found = readOne(one.trim(), delivered);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readOne(path: string, { headers, body }: Delivered): string | undefined {
  const [root, ...names] = path.split('.');
  const found = root === 'headers' ? headers[(names[0] ?? '').toLowerCase()] : names.reduce(step, body);
  if (typeof found === 'number') return String(found);
  return typeof found === 'string' ? found : undefined;
}

function step(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
