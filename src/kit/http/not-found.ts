import type { ApiError } from './errors.ts';
import { requestErrors } from './request-errors.ts';
import type { AnyRoute, Method } from './route.ts';

/** 405 with the methods that exist when only the method is wrong, else 404. Not on any hot path. */
export function describeNotFound(routes: AnyRoute[], method: string, url: string): ApiError {
  const path = url.split('?', 1)[0] ?? '/';
  const given = path.split('/');
  const [nearest] = routes.filter((route) => matches(route.path.split('/'), given)).sort(byNearness);
  if (!nearest)
    return requestErrors.route_not_found(`There is no ${path.slice(0, 200)} here. /docs lists every address.`);
  const methods = methodsAt(routes, nearest.path).sort().join(', ');
  return requestErrors.method_not_allowed(`${method} is not allowed on this address. It takes ${methods}.`, {
    headers: { allow: methods },
  });
}

/**
 * Methods that a literal path does not take although a pattern would match it: `DELETE /items/search` is not
 * `/items/:item_id`. The router matches each method separately and would let them in.
 */
export function shadowedMethods(routes: AnyRoute[]): { path: string; method: Method }[] {
  // Split once: each start compares all paths with all patterns.
  const methods = new Map<string, Set<Method>>();
  const places = new Map<string, { shape: string; parts: string[] }>();
  for (const { path, method } of routes) {
    const shape = shapeOf(path);
    methods.set(shape, (methods.get(shape) ?? new Set()).add(method));
    places.set(path, { shape, parts: path.split('/') });
  }
  const patterns = [...places.values()].filter(({ parts }) => parts.some((part) => part.startsWith(':')));
  return [...places].flatMap(([path, { shape, parts }]) => {
    const around = patterns.filter((pattern) => matches(pattern.parts, parts) && pattern.shape !== shape);
    const taken = new Set(around.flatMap((pattern) => [...(methods.get(pattern.shape) ?? [])]));
    return [...taken.difference(methods.get(shape) ?? new Set())].map((method) => ({ path, method }));
  });
}

function methodsAt(routes: AnyRoute[], path: string): Method[] {
  const shape = shapeOf(path);
  return routes.filter((route) => shapeOf(route.path) === shape).map(({ method }) => method);
}

// Literal segments come before parameters; the first difference decides.
function byNearness(a: AnyRoute, b: AnyRoute): number {
  return shapeOf(a.path) < shapeOf(b.path) ? -1 : 1;
}

/** Whatever the parameters are called: two routes of one place may name them differently. */
function shapeOf(path: string): string {
  return path.replaceAll(/:[^/]+/g, '\uffff');
}

function matches(expected: string[], given: string[]): boolean {
  return (
    expected.length === given.length &&
    expected.every((part, i) => (part.startsWith(':') ? given[i] !== '' : part === given[i]))
  );
}
