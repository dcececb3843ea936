import { z } from 'zod';
import { type AnyRoute, raw, route } from '../../kit/http/index.ts';
import type { ConsoleApp } from '../open-app.ts';

/** The files of the app. They are the same for everybody and hold nothing secret. */
export function appRoutes(app: ConsoleApp): AnyRoute[] {
  // What stands behind the question mark is the app's own: a page may be loaded again with its filters.
  const query = z.looseObject({});
  const common = { method: 'GET', permission: 'public', hidden: true, query } as const;
  return [
    route({
      ...common,
      path: '/console',
      operationId: 'console_redirect',
      summary: 'The console, at the address below which its files are',
      handler: () => raw('', 'text/plain', { location: '/console/' }, 302),
    }),
    route({
      ...common,
      path: '/console/*',
      operationId: 'console_app',
      summary: 'The console and its files',
      params: z.strictObject({ '*': z.string() }),
      handler: ({ params, headers }) => app.serve(params['*'], headers),
    }),
  ];
}
