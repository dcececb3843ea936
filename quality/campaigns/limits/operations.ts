import { documentedRoutes } from '../../../src/app.ts';
import type { AnyRoute } from '../../../src/kit/http/index.ts';

const MIB = 1024 * 1024;
const SOME_ID = '0b7e4f1a-3c52-4d8e-9f60-1a2b3c4d5e6f';

export type Operation = { route: AnyRoute; name: string; path: string; surface: string; bytesMax: number };

/** Every operation that takes a JSON body. */
export function jsonOperations(): Operation[] {
  return operations().filter(({ route }) => route.body && !route.upload && typeof route.rawBody !== 'object');
}

export function operations(): Operation[] {
  return documentedRoutes().map((route) => ({
    route,
    name: `${route.method} ${route.path}`,
    path: route.path.replace(/:\w+|\*/g, SOME_ID),
    surface: route.surface ?? 'standard',
    bytesMax: route.bodyBytesMax ?? (route.largeBody ? 10 * MIB : MIB),
  }));
}
