import { ApiError } from './errors.ts';
import type { AnyRoute } from './route.ts';

/** 405 with the methods that exist when only the method is wrong, else 404. Not on any hot path. */
export function describeNotFound(routes: AnyRoute[], method: string, url: string): ApiError {
  const path = url.split('?', 1)[0] ?? '/';
  const allowed = routes.filter((route) => matches(route.path, path)).map((route) => route.method);
  if (allowed.length === 0)
    return new ApiError(404, `There is no ${path.slice(0, 200)} here. /docs lists every address.`);
  const methods = [...new Set(allowed)].sort().join(', ');
  return new ApiError(405, `${method} is not allowed on this address. It takes ${methods}.`, {
    headers: { allow: methods },
  });
}

function matches(pattern: string, path: string): boolean {
  const [expected, given] = [pattern.split('/'), path.split('/')];
  return (
    expected.length === given.length &&
    expected.every((part, i) => (part.startsWith(':') ? given[i] !== '' : part === given[i]))
  );
}
